import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { oneRead, rejects, unmarked } from "../../../src/probe/cases.ts";
import type { RuleCase } from "../../../src/probe/rule-case.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { hidesBehindSlash, rejectsByHead } from "./near-routes.ts";
import { rejectsOnNewChange } from "./new-change.ts";
import { rejectsIfNoneMatch } from "./not-modified.ts";
import { rejectsOtherwiseBound } from "./otherwise-bound.ts";
import { rejectsPaged } from "./paged.ts";
import { rejectsAgain } from "./repeated.ts";
import { rejectsUnderOtherKeys } from "./under-key.ts";
import { rejectsUnusual, rejectsWithConsent } from "./unusual.ts";

/**
 * Cases for a mutation in requests of which a receiver may forget a check that it makes otherwise: for a page, from an
 * ordinary client, unusual ones, with a token of the other flow, writes with a token that is bound otherwise, near a route, for
 * what the client has already, for a new change, under another key, and with a token that was refused before.
 * @param mutation the plainest one that fails the check
 */
export function rejectsInOtherWays(facts: Facts, mutation: InvalidMutation): RuleCase[] {
  const read = oneRead(facts);
  return [
    ...rejectsPaged(mutation),
    ...unmarked(rejects(read, [mutation])),
    ...rejectsUnusual(facts, mutation),
    ...rejectsWithConsent(facts, mutation),
    ...rejectsOtherwiseBound(mutation),
    ...rejectsByHead(facts, mutation),
    ...rejectsIfNoneMatch(facts, mutation),
    ...hidesBehindSlash(mutation),
    ...rejectsOnNewChange(facts, mutation),
    // A forged signature is under no key.
    ...(mutation.refused.check === "signature" ? [] : rejectsUnderOtherKeys(facts, read, mutation)),
    ...rejectsAgain(read, mutation),
  ];
}
