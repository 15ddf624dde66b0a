import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { oneRead, rejects } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { missingClaims, mistypedClaims, voidClaims } from "./mutations/claims.ts";

export const rule: Rule = defineRule({
  id: "receiver.required-claims",
  title: "A token without `sub` or `iat` is rejected",
  level: "SHOULD",
  verifies: ["claims.sub", "claims.iat"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation/side-by-side"],
  cases: (facts) => [
    ...rejects(OPERATION_IDS, missingClaims),
    ...rejects(oneRead(facts), [...voidClaims, ...mistypedClaims]),
  ],
});
