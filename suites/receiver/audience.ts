import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { otherAudience } from "../../src/tokens/breakages/plain.ts";

export const rule: Rule = defineRule({
  id: "receiver.audience",
  title: "A token for another audience is rejected",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () => casesOn(OPERATION_IDS, [otherAudience]),
  probe: (probe, { change }) => probe.rejects(change),
});
