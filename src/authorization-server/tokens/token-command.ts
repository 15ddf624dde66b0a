import { Interrupted } from "../../http/client.ts";
import type { TokenCommand } from "../../profile/target.ts";
import type { Failed } from "../protocol/failed.ts";

export interface CommandRequest {
  /** Scopes of the contract. The command gets them in `ORGSYNC_SCOPES`, separated by spaces. */
  readonly scopes: readonly string[];
  /** `ORGSYNC_ORGANIZATION`, which is empty for `null`: an unbound token. */
  readonly organization: string | null;
  /** `ORGSYNC_SUBJECT`. */
  readonly subject: string;
}

/** Why a command returned no token. `cannot`: it says that it has no such token. */
export interface NoneGiven extends Failed {
  readonly cannot?: true;
}

const TIMEOUT_MS = 60_000;
const LONGEST_OUTPUT = 64 * 1024;
/** The exit status that says that there is no such token. */
const CANNOT = 3;
/** One b64token (RFC 6750 section 2.1) and nothing else but white space. */
const ONE_TOKEN = /^\s*([A-Za-z0-9._~+/-]+=*)\s*$/;

/**
 * Runs the command of `tokens.command` without a shell, and reads the token that it prints. Keeps and
 * shows nothing else of its output, and drops its standard error, because both may hold secrets.
 * @param options.timeoutMs default: a minute
 * @throws Interrupted
 */
export async function runTokenCommand(
  { argv: [program, ...args], folder }: TokenCommand,
  { scopes, organization, subject }: CommandRequest,
  { signal, timeoutMs = TIMEOUT_MS }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<{ readonly token: string } | NoneGiven> {
  const env = {
    ...process.env,
    ORGSYNC_SCOPES: scopes.join(" "),
    ORGSYNC_ORGANIZATION: organization ?? "",
    ORGSYNC_SUBJECT: subject,
  };
  // Few runs start a command.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let why: string | undefined;
    const stop = (reason: string): void => {
      why ??= reason;
      child.kill("SIGKILL");
      // A child process of the command may keep the pipe open.
      child.stdout.destroy();
    };
    const timer = setTimeout(
      () => stop(`returned nothing within ${timeoutMs / 1000} s`),
      timeoutMs,
    );
    const interrupt = (): void => stop("was interrupted");
    signal?.addEventListener("abort", interrupt);
    if (signal?.aborted) interrupt();
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > LONGEST_OUTPUT) stop(`printed more than ${LONGEST_OUTPUT / 1024} KiB`);
      else chunks.push(chunk);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      why ??= `could not be started: ${error.code ?? "unknown"}`;
      settle(null, null);
    });
    child.on("close", settle);

    function settle(code: number | null, by: string | null): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupt);
      if (signal?.aborted) return reject(new Interrupted());
      if (why !== undefined) return resolve({ failed: `${program} ${why}`, unclear: true });
      if (code === CANNOT) {
        return resolve({ failed: `${program} says that it cannot get such a token`, cannot: true });
      }
      if (code !== 0) {
        return resolve({
          failed: `${program} ended with ${code ?? by ?? "nothing"}`,
          unclear: true,
        });
      }
      const token = ONE_TOKEN.exec(Buffer.concat(chunks).toString("latin1"))?.[1];
      resolve(
        token === undefined
          ? { failed: `${program} printed something other than one token`, unclear: true }
          : { token },
      );
    }
  });
}
