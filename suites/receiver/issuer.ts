import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { untrustedIssuer } from "../../src/tokens/breakages/plain.ts";

export const rule: Rule = defineRule({
  id: "receiver.issuer",
  title: "A token of an issuer that is not trusted is rejected",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () => casesOn(OPERATION_IDS, [untrustedIssuer]),
  probe: (probe, { change }) => probe.rejects(change),
});
