import type { Consent } from "../../profile/authorization-server.ts";

/** Consent failed. The message says what happened, and holds nothing secret. */
export class ConsentFailed extends Error {
  override readonly name = "ConsentFailed";
}

/**
 * Requests consent for the authorization request at `url`.
 * @param signal ends the command
 * @returns when the command or function has ended, or the browser was opened
 * @throws ConsentFailed
 */
export async function askConsent(
  consent: Consent,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  if (typeof consent === "function") return consent(url, signal);
  if (consent === "browser") return start(browserCommand(process.platform, url), signal);
  return start([...consent, url], signal);
}

/** The command that opens a URL in the browser, without a shell. */
function browserCommand(platform: string, url: string): string[] {
  switch (platform) {
    case "darwin":
      return ["open", url];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler", url];
    default:
      return ["xdg-open", url];
  }
}

/** Runs a command without a shell. Drops its output, which may hold codes and cookies. */
async function start(
  [command = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  // Few runs start a command.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "ignore", signal });
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (signal.aborted) resolve();
      else reject(new ConsentFailed(`${command} could not be started: ${error.code ?? "unknown"}`));
    });
    child.on("exit", (code, by) => {
      if (code === 0 || signal.aborted) resolve();
      else reject(new ConsentFailed(`${command} ended with ${code ?? by ?? "nothing"}`));
    });
  });
}
