import { OPERATION_IDS } from "../../src/contract/operations.ts";
import {
  audienceGaps,
  malformedAudiences,
  mistakenAudiences,
  openAudiences,
  otherAudience,
  rescuedAudiences,
  spoofedBases,
} from "../../src/mutations/token/audience.ts";
import { custom, type MutationCase, oneRead, rejects } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { rejectsInCapitals } from "./ways/claim-names.ts";
import { READS_TOKENS, rejectsInOtherWays } from "./ways/other-ways.ts";
import { rejectsReplayed } from "./ways/replayed.ts";
import { rejectsWithinSkew } from "./ways/within-skew.ts";

export const rule: Rule = defineRule({
  id: "receiver.audience",
  title: "A token for another audience is rejected",
  level: "MUST",
  verifies: [
    "checks.audience",
    "claims.aud",
    "claims.aud-differs",
    "checks.any-failure-rejects",
    "rfc7519.aud",
    "rfc7519.string-comparison",
    "rfc8725.audience",
    "rfc9068.validation",
    "rfc9068.no-id-token",
  ],
  dependsOn: READS_TOKENS,
  cases: (facts) => [
    ...rejects(OPERATION_IDS, [otherAudience, ...audienceGaps]),
    ...rejects(oneRead(facts), [...malformedAudiences, ...rescuedAudiences]),
    ...rejectsInCapitals(facts, "aud"),
    ...rejects(oneRead(facts), mistakenAudiences(facts)),
    ...custom(oneRead(facts), spoofedBases(facts), rejectsByTheReceiver),
    ...rejects(oneRead(facts), openAudiences(facts)),
    ...rejectsInOtherWays(facts, otherAudience),
    ...rejectsWithinSkew(facts, oneRead(facts), otherAudience),
    ...rejectsReplayed(facts, otherAudience),
  ],
});

/**
 * A gateway may route a request that names another base URL to another service or to none. The answer
 * says something about this receiver only where a request without a token is refused.
 */
async function rejectsByTheReceiver(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const finding = await probe.rejects(mutation);
  const elsewhere = Finding.notApplicable(phrase`no receiver answers under another base URL`);
  if (finding.kind === "inconclusive" && finding.evidence) return elsewhere;
  if (finding.kind !== "fail") return finding;
  const { request } = mutation;
  const tokenless = await probe.rejects({
    name: "tokenless",
    what: "a header names another base URL, and there is no token",
    ...(request && { request }),
    authorization: () => [],
  });
  return tokenless.kind === "pass" ? finding : elsewhere;
}
