import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { combine, type InvalidMutation, type Mutation } from "../../src/mutations/mutation.ts";
import { forgedSignature } from "../../src/mutations/token/signature.ts";
import { besideOthers, oneReadOneWrite } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { doubtAbout } from "../../src/probe/read/denied.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import {
  type CheckMutation,
  checkMutationsOn,
  faultAlone,
  placeFor,
} from "./ways/check-mutations.ts";

/** Two faults. The check of the first one comes before that of the second one. */
type Pair = readonly [CheckMutation, CheckMutation];

const noJson: Mutation = {
  name: "no-json",
  what: "the body is not JSON",
  request: (spec) => ({ ...spec, body: "{" }),
};

/** Its payload was never validly signed, so that no receiver remembers it as verified. */
const neverVerified: InvalidMutation = {
  ...forgedSignature,
  token: {
    ...forgedSignature.token,
    claims: (_draft, { uuid }) => ({ jti: uuid("never verified") }),
  },
};

export const rule: Rule = defineRule({
  id: "receiver.order",
  title: "Of two faults, the earlier check determines the answer",
  level: "MUST",
  verifies: ["checks.order"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation/side-by-side"],
  cases(facts) {
    const inFull = oneReadOneWrite(facts);
    return OPERATION_IDS.flatMap((operation): RuleCase[] => [
      ...pairs(mutationsOn(facts, operation), inFull.includes(operation)).map(([earlier, later]) =>
        besideOthers<RuleCase>({
          id: `${earlier.name}-before-${later.name}@${operation}`,
          title: `${earlier.mutation.what}; ${later.mutation.what}`,
          operation,
          mutation: [earlier.mutation, later.mutation],
          // A receiver may have to read `iss` to know which JWKS the signature is checked against.
          ...(earlier.name === "signature" && later.name === "issuer" && { level: "SHOULD" }),
          judge: (probe) => judgePair(probe, operation, [earlier, later]),
        }),
      ),
      ...(OPERATIONS[operation].writes && inFull.includes(operation)
        ? [
            {
              id: `signature-before-body@${operation}`,
              title: "a signature that is not the issuer's, and a body that is no JSON",
              operation,
              level: "OBSERVE",
              // The signature alone must be rejected.
              writes: "beside",
              judge: (probe) => probe.rejects(combine(forgedSignature, noJson)),
            } satisfies RuleCase,
          ]
        : []),
    ]);
  },
});

async function judgePair(probe: Probe, operation: OperationId, pair: Pair): Promise<Finding> {
  const alone: Attempt[] = [];
  for (const one of pair) {
    const attempt = await probe.use(faultAlone(one, operation));
    const { reply, evidence } = attempt;
    const reason = phrase`${one.mutation.what}: ${describeReply(reply)}, which is not a rejection`;
    if (reception(reply) === "unclear") return Finding.inconclusive(reason, evidence);
    if (reception(reply) !== "rejected") return Finding.notApplicable(reason);
    const doubt =
      one.mutation.refused.check === "policy" ? await doubtAbout(probe, attempt) : undefined;
    if (doubt) return doubt;
    alone.push(attempt);
  }
  const [earlier, later] = alone as [Attempt, Attempt];
  if (earlier.reply.status === later.reply.status) {
    const reason = phrase`both checks answer ${earlier.reply.status}, so that their order cannot be seen`;
    const probes = alone.flatMap(({ evidence }) => evidence.probes);
    return Finding.notApplicable(reason, { probes });
  }
  const mutation = combine(pair[0].mutation, pair[1].mutation);
  return judge(
    pair,
    earlier,
    later,
    await probe.attempt(mutation, placeFor(probe.target, ...pair)),
  );
}

/** Judges the answer to both faults at once by the answers to each fault alone. */
function judge(
  pair: Pair,
  earlier: Attempt,
  later: Attempt,
  { reply, evidence }: Attempt,
): Finding {
  const actual = describeReply(reply);
  const evidenceOfAll = {
    ...evidence,
    probes: [...earlier.evidence.probes, ...later.evidence.probes, ...evidence.probes],
  };
  if (reply.status === earlier.reply.status) return Finding.pass(evidenceOfAll);
  switch (reply.status === later.reply.status ? "accepted" : reception(reply)) {
    case "accepted":
      return {
        kind: "fail",
        expected: phrase`${describeReply(earlier.reply)}, the answer of the check of ${pair[0].name}`,
        actual: phrase`${actual}${reply.status === later.reply.status ? `, the answer of the check of ${pair[1].name}` : ""}`,
        evidence: evidenceOfAll,
      };
    case "unclear":
      return Finding.inconclusive(actual, evidenceOfAll);
    default:
      // It is the answer of neither check, so something else came before both.
      return Finding.observed(
        phrase`${actual}, where each fault alone gets ${earlier.reply.status} and ${later.reply.status}`,
        evidenceOfAll,
      );
  }
}

function mutationsOn(facts: Facts, operation: OperationId): CheckMutation[] {
  return checkMutationsOn(facts, operation).map((one) =>
    one.mutation === forgedSignature ? { ...one, mutation: neverVerified } : one,
  );
}

/** All pairs of the mutations, the earlier check first; or only the pairs that reveal a check in the wrong place. */
function pairs(mutations: readonly CheckMutation[], inFull: boolean): Pair[] {
  return mutations.flatMap((earlier, at) =>
    mutations
      .slice(at + 1)
      .filter((later, between) => inFull || between === 0 || isTelling(earlier, later))
      .map((later) => [earlier, later] as const),
  );
}

/**
 * A check in the wrong place has moved past a neighbour. Where neighbours answer with the same status, as most do up to
 * expiry and from scope on, the pair with the last or first check of the other group reveals it.
 */
function isTelling(earlier: CheckMutation, later: CheckMutation): boolean {
  return ["expiry", "scope"].includes(earlier.name) || later.name === "scope";
}
