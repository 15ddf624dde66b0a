import type { JudgedError } from "../../src/probe/errors/error-record.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { onRecordedErrors } from "../shared/recorded-errors.ts";
import { onOddRequests } from "./asking/judge-odd.ts";

const EXPECTED = "status equals the HTTP status";

function problem({ bodyStatus, status }: JudgedError): string | undefined {
  return bodyStatus === status ? undefined : `status is ${bodyStatus} in an answer of ${status}`;
}

export const rule: Rule = defineRule({
  id: "errors.status",
  title: "The status in an Error body is the HTTP status",
  level: "MUST",
  verifies: ["errors.same-status", "models.error.status", "errors.kinds"],
  phase: "record",
  dependsOn: ["errors.shape"],
  cases: (facts) => [
    ...onRecordedErrors({
      expected: EXPECTED,
      applies: ({ bodyStatus }) => bodyStatus !== undefined,
      problem,
    }),
    // errors.shape judges bodies without a status.
    ...onOddRequests("errors.status", facts, {
      expected: EXPECTED,
      problem: (answer) => (answer.bodyStatus === undefined ? undefined : problem(answer)),
    }),
  ],
});
