import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  malformedToken,
  noCredentials,
  otherScheme,
} from "../../src/tokens/breakages/credentials.ts";

export const rule: Rule = defineRule({
  id: "receiver.token-required",
  title: "A request without a bearer token is rejected",
  level: "MUST",
  cases: () => casesOn(OPERATION_IDS, [noCredentials, otherScheme, malformedToken]),
  probe: (probe, { change }) => probe.rejects(change),
});
