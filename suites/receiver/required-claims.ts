import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { missingClaims, mistypedClaims, voidClaims } from "../../src/mutations/token/claims.ts";
import { casesOn, oneRead } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

export const rule: Rule = defineRule({
  id: "receiver.required-claims",
  title: "A token without `sub` or `iat` is rejected",
  level: "SHOULD",
  verifies: ["claims.sub", "claims.iat"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation"],
  cases: (target) => [
    ...casesOn(OPERATION_IDS, missingClaims),
    ...casesOn(oneRead(target), [...voidClaims, ...mistypedClaims]),
  ],
  probe: (probe, { mutation }) => probe.rejects(mutation),
});
