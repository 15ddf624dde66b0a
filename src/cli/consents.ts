import type { Client } from "../profile/authorization-server.ts";
import type { CommandIo } from "./io.ts";

/** Says on the terminal when a person is asked; a command needs no telling. */
export function tellConsents(
  terminal: CommandIo["stderr"],
): (client: Client, count: number, refuse: boolean) => void {
  return ({ name, consent = "browser", refusal }, count, refuse) => {
    if ((refuse ? refusal : consent) !== "browser") return;
    const wish = refuse ? " REFUSE it this time." : "";
    terminal.write(
      `Consent ${count}: your browser opens for the client ${name}, and this waits for 2 minutes.${wish}\n`,
    );
  };
}
