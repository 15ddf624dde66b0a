import { casesOn, ORGANIZATION_OPERATIONS } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { boundElsewhere, boundNowhere } from "../../src/tokens/breakages/plain.ts";

export const rule: Rule = defineRule({
  id: "receiver.binding",
  title: "A token that is bound to another organization is rejected",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () => casesOn(ORGANIZATION_OPERATIONS, [boundElsewhere, boundNowhere]),
  async probe(probe, { change }) {
    if (change === boundElsewhere && !(await probe.organizations()).other) {
      return { kind: "missing", keys: ["organizations.other"] };
    }
    return probe.rejects(change, { bound: true });
  },
});
