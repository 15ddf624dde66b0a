import type { OperationId } from "../../src/contract/operations.ts";
import { oneRead } from "../../src/probe/cases.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { RuleCase } from "../../src/probe/rule-case.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { observedRotation, rotation } from "./times/rotation.ts";

export const rule: Rule = defineRule({
  id: "receiver.rotation",
  title: "Keys that are added to the issuer's JWK Set are accepted, and removed ones are refused",
  level: "OBSERVE",
  verifies: ["authentication.public-keys", "rfc7517.key-set"],
  dependsOn: ["receiver.keys", "receiver.isolation/side-by-side"],
  cases: (facts) => oneRead(facts).flatMap((operation) => casesOf(facts, operation)),
});

/** Only where the run serves the keys itself can it change them. */
function casesOf({ testIssuer }: Facts, operation: OperationId): RuleCase[] {
  const inapplicable =
    testIssuer.serve === undefined
      ? "the run does not publish the test issuer's keys: testIssuer.serve"
      : undefined;
  return [
    {
      id: `appears@${operation}`,
      title: "how long until a key that is added to the JWK Set is accepted",
      operation,
      inapplicable,
      judge: async (probe) => {
        const { appeared } = await probe.use(rotation);
        return observedRotation(appeared, "accepted", "not accepted");
      },
    },
    {
      id: `withdrawn@${operation}`,
      title: "how long until a key that is removed from the JWK Set is refused",
      operation,
      inapplicable,
      judge: async (probe) => {
        const { withdrawn } = await probe.use(rotation);
        return withdrawn
          ? observedRotation(withdrawn, "refused", "still accepted")
          : NEVER_ACCEPTED;
      },
    },
  ];
}

const NEVER_ACCEPTED: Finding = {
  kind: "not-applicable",
  reason: phrase`the key was not accepted before it was withdrawn`,
};
