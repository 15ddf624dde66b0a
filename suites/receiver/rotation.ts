import type { OperationId } from "../../src/contract/operations.ts";
import { oneRead } from "../../src/probe/cases.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { RuleCase } from "../../src/probe/rule-case.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";
import { observedRotation, rotation } from "./times/rotation.ts";

interface RotationCase extends RuleCase {
  readonly operation: OperationId;
  readonly change: "appears" | "withdrawn";
}

const CHANGES = {
  appears: "how long until a key that is added to the JWK Set is accepted",
  withdrawn: "how long until a key that is removed from the JWK Set is refused",
} as const;

export const rule: Rule = defineRule({
  id: "receiver.rotation",
  title: "Keys that are added to the issuer's JWK Set are accepted, and removed ones are refused",
  level: "OBSERVE",
  verifies: ["authentication.public-keys", "rfc7517.key-set"],
  dependsOn: ["receiver.keys", "receiver.isolation/side-by-side"],
  cases: (target) => oneRead(target).flatMap((operation) => casesOf(target, operation)),
  async probe(probe, { change }) {
    const { appeared, withdrawn } = await probe.use(rotation);
    if (change === "appears") return observedRotation(appeared, "accepted", "not accepted");
    if (withdrawn) return observedRotation(withdrawn, "refused", "still accepted");
    return {
      kind: "not-applicable",
      reason: phrase`the key was not accepted before it was withdrawn`,
    };
  },
});

/** Only where the run serves the keys itself can it change them. */
function casesOf({ testIssuer }: Target, operation: OperationId): RotationCase[] {
  const inapplicable =
    testIssuer.serve === undefined
      ? "the run does not publish the test issuer's keys: testIssuer.serve"
      : undefined;
  return (["appears", "withdrawn"] as const).map((change) => ({
    id: `${change}@${operation}`,
    title: CHANGES[change],
    operation,
    change,
    inapplicable,
  }));
}
