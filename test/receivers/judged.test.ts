import { expect, test } from "vitest";

import { RULES } from "../../suites/index.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { rulesWith, runAgainst } from "../support/run-against.ts";
import { startExpressReceiver } from "./express-oauth2.ts";
import { startHonoReceiver } from "./hono.ts";
import { BUNDLED } from "./world.ts";

/** Where a receiver departs from a sentence, and how its stack comes to do so. */
interface Deviation {
  readonly rule: string;
  readonly outcome: "fail" | "warn";
  /** Id in `fixtures/requirements.yaml`. */
  readonly sentence: string;
  readonly because: string;
}

const lenientUtf8: Deviation = {
  rule: "receiver.signature",
  outcome: "warn",
  sentence: "rfc7519.claims-set",
  because: "the payload is decoded with replacement characters instead of being refused",
};
const claimsNotRequired: Deviation = {
  rule: "receiver.required-claims",
  outcome: "warn",
  sentence: "claims.iat",
  because: "the middleware checks `sub` and `iat` only where a token has them",
};

const EXPRESS: readonly Deviation[] = [
  lenientUtf8,
  claimsNotRequired,
  {
    rule: "pagination.unknown-parameter",
    outcome: "warn",
    sentence: "models.query.closed",
    because: "express hands every query parameter on, and the handler reads two of them",
  },
];

const HONO: readonly Deviation[] = [
  {
    rule: "receiver.expiry",
    outcome: "fail",
    sentence: "claims.exp",
    because: "the middleware compares `exp` only where a token has one",
  },
  lenientUtf8,
  claimsNotRequired,
  {
    rule: "errors.submission",
    outcome: "warn",
    sentence: "errors.submission-elements",
    because: "the validator's message is passed on, and `errors` stays empty",
  },
];

/** The diagnosis of each receiver, which contains only true statements. */
const LACKS_SUB_OR_IAT =
  "accepts a token without `iat`; and treats a token without `sub` as one of the service's own, on listOrganizations but not on viewOrganization, editOrganization, submitChange, readChangesFeed and readChange";
const EXPRESS_BEHAVES = [LACKS_SUB_OR_IAT, "ignores a query parameter that is not declared"];
const HONO_BEHAVES = [
  "treats a token without `exp` as one that never expires",
  "accepts a payload that is not in UTF-8",
  LACKS_SUB_OR_IAT,
  "leaves `errors` empty",
];

const RECEIVERS = [
  ["express with express-oauth2-jwt-bearer", startExpressReceiver, EXPRESS, EXPRESS_BEHAVES],
  ["hono with its jwk middleware", startHonoReceiver, HONO, HONO_BEHAVES],
] as const;

// Each is a whole run.
test.each(drawnOneIn(2, RECEIVERS))(
  "%s is judged by the contract, not by its similarity to the reference receiver",
  async (_, start, deviations, behaviours) => {
    const receiver = await start(BUNDLED);
    try {
      const { results, finished } = await runAgainst(receiver.profile);
      const departures = (outcome: Deviation["outcome"]): string[] =>
        deviations.filter((one) => one.outcome === outcome).map(({ rule }) => rule);
      expect(rulesWith(results, "fail").toSorted()).toEqual(departures("fail").toSorted());
      expect(rulesWith(results, "warn").toSorted()).toEqual(departures("warn").toSorted());
      expect(rulesWith(results, "inconclusive", "not-provisioned")).toEqual([]);
      expect(finished.setup).toEqual([]);
      expect(finished.diagnoses.map(({ behaves }) => behaves)).toEqual(behaviours);
      for (const { rule, sentence } of deviations) {
        expect(RULES.find(({ id }) => id === rule)?.verifies).toContain(sentence);
      }
    } finally {
      await receiver.close();
    }
  },
);
