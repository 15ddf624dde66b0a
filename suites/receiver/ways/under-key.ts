import { type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { besideOthers, custom } from "../../../src/probe/cases.ts";
import { besideControl, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Fixture } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { namedKeys } from "../signature/known-issuer.ts";
import { alsoChanged, type CheckOptions, rejectOptions } from "./check-options.ts";

/**
 * Tokens under the issuer's other keys. A receiver may have a verifier for each algorithm or each key, and one of them may
 * forget a check that the others make.
 */

/**
 * Cases for a mutation of claims that must be rejected under other keys too, named `<mutation>-under-<key>@<operation>`: one
 * for each other algorithm that the profile declares, and one for another key of the control's algorithm. Where tokens are
 * issued, the keys are not known before the run.
 */
export function rejectsUnderOtherKeys(
  facts: Facts,
  operations: readonly OperationId[],
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  return otherKeys(facts).flatMap(({ name, key }) => {
    const under: InvalidMutation = {
      ...alsoChanged(mutation, signedWith(key)),
      name: `${mutation.name}-under-${name}`,
      what: `${mutation.what}; the token is signed with the issuer's key ${key.kid}`,
    };
    return custom(operations, [under], async (probe, { operation }): Promise<Finding> => {
      const { reply, evidence } = await probe.use(goodUnder(key, operation));
      if (reception(reply) !== "accepted") return notAccepted(key, { reply, evidence });
      const finding = await probe.rejects(under, rejectOptions(probe, options));
      // A token under the same key has these too.
      return besideControl(
        finding,
        reply.exchange.id,
        (one) =>
          one.part !== "signature" && !(one.part === "header" && ["alg", "kid"].includes(one.name)),
      );
    }).map(besideOthers);
  });
}

/** One key for each declared algorithm, and one more for the control's, without the control's key. */
function otherKeys({ issued, testIssuer }: Facts): ReturnType<typeof namedKeys> {
  if (issued) return [];
  const { key: own, keys, algorithms } = testIssuer;
  const others = namedKeys(keys).filter(
    ({ key: { kid, alg } }) => kid !== own.kid && algorithms.includes(alg),
  );
  return others.filter(
    ({ key }, at) => others.findIndex(({ key: { alg } }) => alg === key.alg) === at,
  );
}

/** A good token under another key of the issuer. */
export function signedWith(key: IssuerKey): Mutation {
  return {
    name: key.alg,
    what: `signed with the issuer's key ${key.kid}`,
    token: { key: () => key },
  };
}

/** A good token under another key of the issuer, sent once in a run. */
export function goodUnder(key: IssuerKey, operation: OperationId): Fixture<Attempt> {
  return {
    name: `key ${key.kid} ${operation}`,
    scope: "run",
    setup: (shared) =>
      shared.attempt(signedWith(key), {
        operation,
        ...(OPERATIONS[operation].writes && { purpose: "wanted" as const }),
      }),
  };
}

/** The finding where no token under a key is accepted, which `receiver.keys` judges. */
export function notAccepted(
  { kid }: IssuerKey,
  { reply, evidence }: Pick<Attempt, "reply" | "evidence">,
): Finding {
  const said = describeReply(reply);
  const reason = phrase`a good token under the issuer's key ${kid} was not accepted either: ${said}`;
  return Finding.inconclusive(reason, evidence);
}
