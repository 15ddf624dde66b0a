import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { open } from "../../src/mutations/mutation.ts";
import {
  beyondSmallSkew,
  expired,
  expiryGaps,
  lifetimePast,
  notYetValid,
  oddExpiries,
  openTimes,
} from "../../src/mutations/token/expiry.ts";
import { custom, type MutationCase, oneRead, rejects } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { keptAfterExpiry, rejectsOnceExpired } from "./times/kept-decision.ts";
import { clockProblem, measuredSkew } from "./times/skew.ts";
import { rejectsInCapitals } from "./ways/claim-names.ts";
import { READS_TOKENS, rejectsInOtherWays } from "./ways/other-ways.ts";
import { rejectsReplayed } from "./ways/replayed.ts";

const skew = open("skew", "how long after `exp` a token is still accepted", {
  signsAsIssuer: true,
});

export const rule: Rule = defineRule({
  id: "receiver.expiry",
  title: "An expired token is rejected",
  level: "MUST",
  verifies: [
    "checks.expiry",
    "claims.exp",
    "claims.exp-passed",
    "checks.any-failure-rejects",
    "rfc7519.numeric-date",
    "rfc7519.exp",
    "rfc7519.exp-leeway",
    "rfc7519.nbf",
    "rfc9068.validation",
  ],
  dependsOn: READS_TOKENS,
  cases: (facts) => [
    ...rejects(OPERATION_IDS, [expired, lifetimePast, ...expiryGaps]),
    ...rejects(oneRead(facts), oddExpiries),
    ...rejectsInCapitals(facts, "exp"),
    ...rejects(oneRead(facts), [notYetValid, ...openTimes]),
    ...custom(oneRead(facts), [beyondSmallSkew], rejectsBeyondSkew),
    ...custom(oneRead(facts), [skew], async (probe, { operation }) => {
      const { finding } = await probe.use(measuredSkew(operation));
      return finding;
    }),
    ...custom(oneRead(facts), [keptAfterExpiry], rejectsOnceExpired, { phase: "waiting" }),
    ...rejectsInOtherWays(facts, expired),
    ...rejectsReplayed(facts, expired),
  ],
});

async function rejectsBeyondSkew(
  probe: Probe,
  { operation, mutation }: MutationCase,
): Promise<Finding> {
  const problem = await clockProblem(probe, operation);
  if (problem === undefined) return probe.rejects(mutation);
  if (probe.clockOffsetSeconds !== undefined) {
    const reason = phrase`${problem}. Set the deployment's clock, or let it send its own time in Date`;
    return Finding.inconclusive(reason);
  }
  // The clock of a deployment that accepts the token may be slow.
  const doubt = async ({ reply, evidence }: Attempt): Promise<Finding | undefined> =>
    reception(reply) === "accepted"
      ? Finding.inconclusive(
          phrase`${describeReply(reply)}, but ${problem}. Let it send one (RFC 9110 §6.6.1): it shows whether the clock is slow or the skew large`,
          evidence,
        )
      : undefined;
  const finding = await probe.rejects(mutation, { doubt });
  return finding.kind === "pass"
    ? { ...finding, reason: phrase`by this machine's clock, because no answer has a Date header` }
    : finding;
}
