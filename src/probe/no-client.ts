import type { Facts } from "../profile/facts.ts";
import { clientLack, hasSubjectsOfClients, type PlannedToken } from "../tokens/issuing-clients.ts";
import { Finding, type FindingOf, notProvisioned } from "./finding.ts";
import { listFact, type Phrase, phrase, valueFact } from "./phrase.ts";

/** Why no client of the authorization server can get a token; for a token that none can get. */
export function noClient(facts: Facts, asked: PlannedToken): Phrase {
  const { narrowing = true } = facts.authorizationServer ?? {};
  const who = asked.denied ? "client of the denied subject" : "client";
  switch (clientLack(facts, asked)) {
    case "subject":
      return asked.denied ? phrase`no client has the denied subject` : phrase`there is no client`;
    case "organization":
      return asked.organization === null
        ? phrase`no ${who} is without an organization`
        : phrase`no ${who} is bound to ${valueFact(asked.organization)}`;
    default:
      return phrase`no ${who}${boundTo(asked)} can get ${asked.exact ? "exactly" : "at least"} ${scopesInWords(asked.scopes)}${narrowing ? "" : ", and narrowing is false"}`;
  }
}

/**
 * The finding of a case that takes tokens of one subject from several clients. Where each client has a `sub` of its own, no client
 * could show it, so that it is left out on purpose; otherwise it is not provisioned.
 */
export function lacksSubject(
  facts: Facts,
  because: Phrase,
): FindingOf<"not-provisioned" | "not-applicable"> {
  if (!hasSubjectsOfClients(facts)) {
    return { ...notProvisioned("authorizationServer.clients"), because };
  }
  const reason = phrase`each client has a sub of its own, so that none could show it: ${because}`;
  return Finding.notApplicable(reason);
}

/** Scopes as a fact: "the scopes a, b", "no scope". */
export function scopesInWords(scopes: readonly string[]): Phrase {
  if (scopes.length === 0) return phrase`no scope`;
  return phrase`the ${scopes.length === 1 ? "scope" : "scopes"} ${listFact(scopes)}`;
}

function boundTo({ organization }: PlannedToken): Phrase {
  if (organization === undefined) return phrase``;
  return organization === null
    ? phrase` without an organization`
    : phrase` bound to ${valueFact(organization)}`;
}
