import { OPERATION_IDS } from "../../src/contract/operations.ts";
import type { UnspecifiedMutation } from "../../src/mutations/mutation.ts";
import { inCapitals } from "../../src/mutations/token/claim-names.ts";
import {
  beyondSmallSkew,
  expired,
  expiryGaps,
  lifetimePast,
  notYetValid,
  oddExpiries,
  openTimes,
} from "../../src/mutations/token/expiry.ts";
import { casesOn, oneRead } from "../../src/probe/cases.ts";
import { rejectsInCapitals } from "../../src/probe/claim-names.ts";
import { keptAfterExpiry, rejectsOnceExpired } from "../../src/probe/kept-decision.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { clockProblem, measureSkew } from "../../src/probe/skew.ts";
import { unmarked } from "../../src/probe/unmarked.ts";

const skew: UnspecifiedMutation = {
  name: "skew",
  what: "how long after `exp` a token is still accepted",
  level: "OBSERVE",
};

const capitals = inCapitals("exp");

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
  dependsOn: [
    "receiver.token-required/missing",
    "receiver.token-required/missing-unmarked",
    "receiver.isolation",
  ],
  cases: (target) => [
    ...casesOn(OPERATION_IDS, [expired, lifetimePast, ...expiryGaps]),
    ...casesOn(oneRead(target), [
      ...oddExpiries,
      capitals,
      notYetValid,
      ...openTimes,
      beyondSmallSkew,
      skew,
      keptAfterExpiry,
    ]),
    ...unmarked(casesOn(oneRead(target), [expired])),
  ],
  async probe(probe, { mutation, operation }) {
    if (mutation === capitals) return rejectsInCapitals(probe, "exp");
    if (mutation === keptAfterExpiry) return rejectsOnceExpired(probe, operation);
    if (mutation === skew) return measureSkew(probe, operation);
    if (mutation === beyondSmallSkew) {
      const reason = await clockProblem(probe, operation);
      if (reason !== undefined) return { kind: "inconclusive", reason };
    }
    return probe.rejects(mutation);
  },
});
