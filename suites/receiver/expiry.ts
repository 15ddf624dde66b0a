import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { expired, lifetimePast } from "../../src/tokens/breakages/plain.ts";

export const rule: Rule = defineRule({
  id: "receiver.expiry",
  title: "An expired token is rejected",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () => casesOn(OPERATION_IDS, [expired, lifetimePast]),
  probe: (probe, { change }) => probe.rejects(change),
});
