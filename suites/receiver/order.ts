import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import { oneReadOneWrite } from "../../src/probe/cases.ts";
import { checkBreakagesOn, placeFor } from "../../src/probe/check-breakages.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Fixture } from "../../src/probe/fixture.ts";
import type { Attempt } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";
import type { CheckBreakage } from "../../src/tokens/breakages/one-each.ts";
import { forgedSignature } from "../../src/tokens/breakages/signature.ts";
import type { Breakage, Change } from "../../src/tokens/change.ts";
import { combine } from "../../src/tokens/combine.ts";

interface OrderCase extends RuleCase {
  readonly operation: OperationId;
  /** Two faults; the check of the first comes before that of the second. */
  readonly pair?: readonly [CheckBreakage, CheckBreakage];
}

const noJson: Change = {
  name: "no-json",
  what: "the body is no JSON",
  request: (spec) => ({ ...spec, body: "{" }),
};

/** Its payload was never signed well, so that no receiver remembers it as verified. */
const neverVerified: Breakage = {
  ...forgedSignature,
  claims: (_draft, { uuid }) => ({ jti: uuid("never verified") }),
};

export const rule: Rule = defineRule({
  id: "receiver.order",
  title: "Of two faults the earlier check answers",
  level: "MUST",
  verifies: ["checks.order"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation"],
  cases(target) {
    const inFull = oneReadOneWrite(target);
    return OPERATION_IDS.flatMap((operation): OrderCase[] => [
      ...pairs(breakagesOn(target, operation), inFull.includes(operation)).map(
        ([earlier, later]): OrderCase => ({
          id: `${earlier.name}-before-${later.name}@${operation}`,
          title: `${earlier.breakage.what}; ${later.breakage.what}`,
          operation,
          pair: [earlier, later],
          // Whose JWKS a signature is checked against cannot be known before `iss` has been read.
          ...(earlier.name === "signature" && later.name === "issuer" && { level: "SHOULD" }),
        }),
      ),
      ...(OPERATIONS[operation].writes && inFull.includes(operation)
        ? [
            {
              id: `signature-before-body@${operation}`,
              title: "a signature that is not the issuer's, and a body that is no JSON",
              operation,
              level: "OBSERVE",
            } as const,
          ]
        : []),
    ]);
  },
  async probe(probe, { operation, pair }): Promise<Finding> {
    if (!pair) return probe.rejects(combine(forgedSignature, noJson));
    const alone: Attempt[] = [];
    for (const one of pair) {
      const attempt = await probe.use(faultAlone(one, operation));
      const { reply, evidence } = attempt;
      const reason = `${one.breakage.what}: ${describeReply(reply)}, which is no rejection`;
      if (reception(reply) === "unclear") return { kind: "undecided", reason, evidence };
      if (reception(reply) !== "rejected") return { kind: "inapplicable", reason };
      alone.push(attempt);
    }
    const [earlier, later] = alone as [Attempt, Attempt];
    if (earlier.reply.status === later.reply.status) {
      const reason = `both checks answer ${earlier.reply.status}, so that their order cannot be seen`;
      return { kind: "inapplicable", reason };
    }
    const change = combine(pair[0].breakage, pair[1].breakage);
    return judge(
      pair,
      earlier,
      later,
      await probe.attempt(change, placeFor(probe.target, ...pair)),
    );
  },
});

/** The answer to one fault alone, which several pairs want to know. */
function faultAlone(fault: CheckBreakage, operation: OperationId): Fixture<Attempt> {
  return {
    name: `${fault.name}@${operation}`,
    scope: "rule",
    setup: (probe) => probe.attempt(fault.breakage, placeFor(probe.target, fault)),
  };
}

/** What the answer to both faults at once says, beside the answers to each alone. */
function judge(
  pair: readonly [CheckBreakage, CheckBreakage],
  earlier: Attempt,
  later: Attempt,
  { reply, evidence }: Attempt,
): Finding {
  const actual = describeReply(reply);
  const evidenceOfAll = {
    ...evidence,
    probes: [...earlier.evidence.probes, ...later.evidence.probes, ...evidence.probes],
  };
  if (reply.status === earlier.reply.status) return { kind: "holds", evidence: evidenceOfAll };
  switch (reply.status === later.reply.status ? "accepted" : reception(reply)) {
    case "accepted":
      return {
        kind: "violated",
        expected: `${describeReply(earlier.reply)}, the answer of the check of ${pair[0].name}`,
        actual: `${actual}${reply.status === later.reply.status ? `, the answer of the check of ${pair[1].name}` : ""}`,
        evidence: evidenceOfAll,
      };
    case "unclear":
      return { kind: "undecided", reason: actual, evidence: evidenceOfAll };
    default:
      // Neither check's answer: something else was in the way of both.
      return {
        kind: "observed",
        value: `${actual}, where each fault alone gets ${earlier.reply.status} and ${later.reply.status}`,
        evidence: evidenceOfAll,
      };
  }
}

function breakagesOn(target: Target, operation: OperationId): CheckBreakage[] {
  return checkBreakagesOn(target, operation).map((one) =>
    one.breakage === forgedSignature ? { ...one, breakage: neverVerified } : one,
  );
}

/** Every two of the breakages, the earlier one first; or those that tell of any check in the wrong place. */
function pairs(
  breakages: readonly CheckBreakage[],
  inFull: boolean,
): (readonly [CheckBreakage, CheckBreakage])[] {
  return breakages.flatMap((earlier, at) =>
    breakages
      .slice(at + 1)
      .filter((later, between) => inFull || between === 0 || isTelling(earlier, later))
      .map((later) => [earlier, later] as const),
  );
}

/**
 * A check in the wrong place has passed a neighbour. Where both answer alike, as most do up to expiry and
 * from scope on, it shows beside the last or the first of the others.
 */
function isTelling(earlier: CheckBreakage, later: CheckBreakage): boolean {
  return ["expiry", "scope"].includes(earlier.name) || later.name === "scope";
}
