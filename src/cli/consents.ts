import type { Client } from "../profile/authorization-server.ts";
import type { CommandIo } from "./io.ts";

/**
 * Tells the user on the terminal when a person has to give consent. Says nothing when a command gives it.
 * @returns a callback: takes the client, the number of consents so far, and whether the consent must be
 * refused
 */
export function tellConsents(
  terminal: CommandIo["stderr"],
): (client: Client, count: number, refuse: boolean) => void {
  return ({ name, consent = "browser", refusal }, count, refuse) => {
    if ((refuse ? refusal : consent) !== "browser") return;
    const wish = refuse ? " REFUSE it this time." : "";
    terminal.write(
      `Consent ${count}: your browser opens for the client ${name}. You have 2 minutes.${wish}\n`,
    );
  };
}
