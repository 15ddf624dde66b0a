import { spawn } from "node:child_process";

import type { Consent } from "../profile/authorization-server.ts";

/** How a consent went wrong: what happened, without anything that was secret. */
export class ConsentFailed extends Error {
  override readonly name = "ConsentFailed";
}

/**
 * Has the authorization request at `url` answered.
 * @param signal ends the command
 * @returns when whoever gives consent is done; a person's browser is not waited for
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

/** The command that opens a URL in the person's browser, without a shell. */
export function browserCommand(platform: string, url: string): string[] {
  switch (platform) {
    case "darwin":
      return ["open", url];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler", url];
    default:
      return ["xdg-open", url];
  }
}

/** Runs a command without a shell. Its output is dropped: it may hold codes and cookies. */
function start([command = "", ...args]: readonly string[], signal: AbortSignal): Promise<void> {
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
