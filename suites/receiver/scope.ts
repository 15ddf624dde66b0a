import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { otherScopes } from "../../src/tokens/breakages/plain.ts";

export const rule: Rule = defineRule({
  id: "receiver.scope",
  title: "A token without the scope that the operation requires is rejected",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () => casesOn(OPERATION_IDS, [otherScopes]),
  probe: (probe, { change }) => probe.rejects(change),
});
