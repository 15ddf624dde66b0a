import { spawn } from "node:child_process";

import { Interrupted } from "../http/client.ts";
import type { TokenCommand } from "../profile/target.ts";
import type { Failed } from "./connection.ts";

/** What a command is asked for. */
export interface CommandRequest {
  /** Scopes of the contract, `ORGSYNC_SCOPES`, separated by spaces. */
  readonly scopes: readonly string[];
  /** `ORGSYNC_ORGANIZATION`; `null`, a token that is bound to none: empty. */
  readonly organization: string | null;
  /** `ORGSYNC_SUBJECT`. */
  readonly subject: string;
}

/** Why a command gave no token; `cannot`: it says that there is none of this kind. */
export interface NoneGiven extends Failed {
  readonly cannot?: true;
}

const TIMEOUT_MS = 60_000;
const LONGEST_OUTPUT = 64 * 1024;
/** The exit status by which it says that it has no such token. */
const CANNOT = 3;
/** b64token, RFC 6750 section 2.1, on a line of its own. */
const ONE_TOKEN = /^\s*([A-Za-z0-9._~+/-]+=*)\s*$/;

/**
 * Runs the command of `tokens.command`, without a shell, and takes the token that it prints. Nothing that
 * it prints is shown or kept but that, and its standard error is dropped: both may hold secrets.
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
      // Whatever it has started may hold the pipe open.
      child.stdout.destroy();
    };
    const timer = setTimeout(() => stop(`gave nothing within ${timeoutMs / 1000} s`), timeoutMs);
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
        return resolve({ failed: `${program} says that it cannot get one`, cannot: true });
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
          ? { failed: `${program} printed what is not one token`, unclear: true }
          : { token },
      );
    }
  });
}
