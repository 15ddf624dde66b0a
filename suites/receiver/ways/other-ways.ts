import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import {
  besideOthers,
  custom,
  type MutationCase,
  oneRead,
  rejects,
  unmarked,
} from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { rejectsRespelledType } from "./media-type.ts";
import { hidesBehindSlash, rejectsByHead } from "./near-routes.ts";
import { rejectsOnNewChange } from "./new-change.ts";
import { rejectsIfNoneMatch } from "./not-modified.ts";
import { rejectsPaged } from "./paged.ts";
import { rejectsAgain } from "./repeated.ts";
import { rejectsUnderOtherKeys } from "./under-key.ts";
import { rejectsUnusual, rejectsWithConsent } from "./unusual.ts";

/** What a rule about a check of tokens depends on: that tokens are wanted at all, and each is that of its own request. */
export const READS_TOKENS: readonly string[] = [
  "receiver.token-required/missing",
  "receiver.token-required/missing-unmarked",
  "receiver.isolation/side-by-side",
];

/**
 * Cases for a mutation in requests of which a receiver may forget a check that it makes otherwise: for a page, from an
 * ordinary client, unusual ones, writes with another spelling of their media type, with a token of the other flow, writes with a token that is bound otherwise, near a route, for
 * what the client has already, for a new change, under another key, and with a token that was refused before.
 * @param mutation the plainest one that fails the check
 */
export function rejectsInOtherWays(facts: Facts, mutation: InvalidMutation): RuleCase[] {
  const read = oneRead(facts);
  return [
    ...rejectsPaged(mutation),
    ...unmarked(rejects(read, [mutation])),
    ...rejectsUnusual(facts, mutation),
    ...rejectsRespelledType(facts, mutation),
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

/**
 * Writes with a token that is unbound where the usual one is bound, or the other way round. Routes that decide on the binding
 * first may forget a check for one of both. For reads, one request tries this together with other unusual parts.
 */

const WRITES: readonly OperationId[] = OPERATION_IDS.filter((id) => OPERATIONS[id].writes);

/**
 * A case for each write, `<mutation>-otherwise-bound@<operation>`. Its control is the one of `receiver.binding-accepted`, so
 * a receiver that rejects the mutation accepts no further write.
 */
function rejectsOtherwiseBound(mutation: InvalidMutation): RuleCase[] {
  return custom(WRITES, [mutation], judge).map((one) =>
    besideOthers({
      ...one,
      id: `${mutation.name}-otherwise-bound@${one.operation}`,
      title: `${mutation.what}; it is unbound if the usual token is bound, and bound if not`,
    }),
  );
}

async function judge(probe: Probe, { mutation, operation }: MutationCase): Promise<Finding> {
  const { form } = await probe.control(operation);
  const bound = !form.bound;
  const other = await probe.tryControl(operation, { bound });
  if ("control" in other) return probe.rejects(mutation, { bound });
  const { finding, reply } = other.refusal;
  if (finding.kind === "inconclusive" && (!reply || reception(reply) === "unclear")) return finding;
  return Finding.notApplicable(
    phrase`no good token is accepted that is ${bound ? "bound" : "unbound"}`,
  );
}
