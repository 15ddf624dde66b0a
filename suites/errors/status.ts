import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { onRecordedErrors } from "../shared/recorded-errors.ts";

export const rule: Rule = defineRule({
  id: "errors.status",
  title: "The status in an Error body is the HTTP status",
  level: "MUST",
  verifies: ["errors.same-status", "models.error.status", "errors.kinds"],
  phase: "record",
  dependsOn: ["errors.shape"],
  cases: () =>
    onRecordedErrors({
      expected: "status equals the HTTP status",
      applies: ({ bodyStatus }) => bodyStatus !== undefined,
      problem: ({ bodyStatus, status }) =>
        bodyStatus === status ? undefined : `status is ${bodyStatus} in an answer of ${status}`,
    }),
});
