import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { judgeRecordedErrors } from "../../src/probe/recorded-errors.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

export const rule: Rule = defineRule({
  id: "errors.shape",
  title: "Every 4xx and 5xx has an Error body",
  level: "MUST",
  verifies: [
    "errors.body",
    "service.common-error",
    "models.error.returned",
    "models.error.status",
    "models.error.message",
    "models.error.errors",
    "models.submission-error.fields",
    "endpoints.error-body",
    "errors.kinds",
    "errors.policy-forbids",
    "rfc8259.grammar",
    "rfc8259.utf8",
  ],
  phase: "record",
  cases: () => OPERATION_IDS.map((operation) => ({ id: operation, operation })),
  probe: (probe, { operation }) =>
    judgeRecordedErrors(probe, operation, {
      expected: "a JSON object with status (integer), message (string) and errors (array)",
      problem: ({ problems }) => (problems.length > 0 ? problems.join("; ") : undefined),
    }),
});
