import { resolve } from "node:path";

import { ConsentFailed } from "../authorization-server/index.ts";
import { fixturePath } from "../lib/package-root.ts";
import type { Client, Consent } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { CommandIo } from "./io.ts";

/**
 * Tells the user on the terminal when a person has to give consent. Says nothing when a command gives it.
 * @returns a callback: takes the client, the number of consents so far, and whether the consent must be refused
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

const SCRIPT = fixturePath("consent.mjs");

/** Does what the command `node fixtures/consent.mjs` does, with the code of that file, but starts no process. */
function consentOfScript(refuses: boolean): Consent {
  return async (url) => {
    const { consent } = await import("../../fixtures/consent.mjs");
    const why = await consent(url, refuses).catch((error: unknown) => {
      throw new ConsentFailed(`consent.mjs failed: ${String(error)}`);
    });
    if (why !== undefined) throw new ConsentFailed(`consent.mjs: ${why}`);
  };
}

/**
 * The target, but the clients for which a process of `fixtures/consent.mjs` gives consent get it in this process.
 * For the reference server: a run asks for consent about forty times, which takes half of its CPU as processes.
 */
export function consentsHere(target: Target): Target {
  const { authorizationServer: server } = target;
  if (!server) return target;
  const clients = server.clients.map((client): Client => ({
    ...client,
    consent: isScript(client.consent) ? consentOfScript(false) : client.consent,
    refusal: isScript(client.refusal) ? consentOfScript(true) : client.refusal,
  }));
  return { ...target, authorizationServer: { ...server, clients } };
}

function isScript(consent: Consent | undefined): boolean {
  return Array.isArray(consent) && consent.some((word: string) => resolve(word) === SCRIPT);
}
