import { errorModelProblem } from "../../src/probe/documented-error.ts";
import { judgeDocumented, onDocumented } from "../../src/probe/documented.ts";
import { owesErrorBody } from "../../src/probe/error-record.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { DocumentedOperation } from "../../src/profile/document.ts";

export const rule: Rule = defineRule({
  id: "document.errors",
  title: "The error responses that the document has agree with the Error body",
  level: "SHOULD",
  verifies: ["service.common-error"],
  phase: "record",
  cases: () => onDocumented("errors"),
  probe: (probe, { about }) => Promise.resolve(judgeDocumented(probe, about, judgeResponses)),
});

function judgeResponses({ responses }: DocumentedOperation): Finding {
  const errors = [...responses].flatMap(([code, response]) => {
    const status = statusOf(code, responses);
    return status === undefined ? [] : [{ code, problem: errorModelProblem(response, status) }];
  });
  if (errors.length === 0) {
    return { kind: "inapplicable", reason: "the document has no error response" };
  }
  const wrong = errors.filter(({ problem }) => problem !== undefined);
  if (wrong.length === 0) return { kind: "holds" };
  return {
    kind: "violated",
    expected: "JSON with status (integer), message (string) and errors (array), all required",
    actual: inWords(wrong),
  };
}

/** A status for which an Error body is owed; `default` is for errors where a success has its own. */
function statusOf(code: string, responses: DocumentedOperation["responses"]): number | undefined {
  if (code === "default") {
    return [...responses.keys()].some((other) => other.startsWith("2")) ? 400 : undefined;
  }
  const status = Number(code.replace("XX", "00"));
  return owesErrorBody(status) ? status : undefined;
}

/** What is wrong with several in the same way is said once. */
function inWords(wrong: readonly { code: string; problem: string | undefined }[]): string {
  const problems = [...new Set(wrong.map(({ problem }) => problem))];
  return problems
    .map((problem) => {
      const codes = wrong.filter((one) => one.problem === problem).map(({ code }) => code);
      return `${codes.join(", ")} ${problem}`;
    })
    .join("; ");
}
