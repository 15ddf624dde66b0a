import { OPERATION_IDS } from "../../src/contract/operations.ts";
import {
  issuerGaps,
  issuerInArray,
  issuerLikeliestMiss,
  issuerNearMisses,
  issuerRespellings,
  malformedIssuers,
  untrustedIssuer,
} from "../../src/mutations/token/issuer.ts";
import { oneRead, rejects } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { liveIssuer } from "./signature/key-brought.ts";
import { rejectsInCapitals } from "./ways/claim-names.ts";
import { READS_TOKENS, rejectsInOtherWays } from "./ways/other-ways.ts";
import { rejectsWithinSkew } from "./ways/within-skew.ts";

export const rule: Rule = defineRule({
  id: "receiver.issuer",
  title: "A token of an issuer that is not trusted is rejected",
  level: "MUST",
  verifies: [
    "checks.issuer",
    "claims.iss",
    "checks.any-failure-rejects",
    "rfc7519.iss",
    "rfc7519.string-comparison",
    "rfc8725.issuer",
    "rfc9068.validation",
  ],
  dependsOn: READS_TOKENS,
  cases: (facts) => [
    ...rejects(OPERATION_IDS, [untrustedIssuer, ...issuerGaps, ...issuerLikeliestMiss(facts)]),
    ...rejects(oneRead(facts), malformedIssuers),
    ...rejectsInCapitals(facts, "iss"),
    ...rejects(oneRead(facts), [
      issuerInArray,
      liveIssuer,
      ...issuerNearMisses(facts),
      ...issuerRespellings(facts),
    ]),
    ...rejectsInOtherWays(facts, untrustedIssuer),
    ...rejectsWithinSkew(facts, oneRead(facts), untrustedIssuer),
  ],
});
