import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { algNone, forgedSignature, tamperedPayload } from "../../src/tokens/breakages/signature.ts";

export const rule: Rule = defineRule({
  id: "receiver.signature",
  title: "A token whose signature is not the issuer's is rejected",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () => casesOn(OPERATION_IDS, [algNone, forgedSignature, tamperedPayload]),
  probe: (probe, { change }) => probe.rejects(change),
});
