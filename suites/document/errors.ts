import { Finding } from "../../src/probe/finding.ts";
import { listFact, type Phrase, phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { DocumentedErrorResponse } from "../../src/profile/document.ts";
import { onDocumented } from "../shared/documented.ts";

const SOURCE = "contract, Errors; OpenAPI 3.1 section 4.8.17";

export const rule: Rule = defineRule({
  id: "document.errors",
  title: "The document's error responses match the Error body",
  level: "SHOULD",
  verifies: ["service.common-error"],
  phase: "record",
  cases: () =>
    onDocumented("errors", SOURCE, async (operation, _documented, document) =>
      judgeResponses(await document.errorResponses(operation)),
    ),
});

function judgeResponses(errors: readonly DocumentedErrorResponse[]): Finding {
  if (errors.length === 0) return Finding.notApplicable(phrase`the document has no error response`);
  const wrong = errors.filter(({ problem }) => problem !== undefined);
  if (wrong.length === 0) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`JSON with status (integer), message (string) and errors (array), all required`,
    actual: phrase`${listFact(told(wrong), "; ")}`,
  };
}

/** Problems of several responses are merged where they are equal. */
function told(wrong: readonly { code: string; problem: string | undefined }[]): Phrase[] {
  const problems = [...new Set(wrong.map(({ problem }) => problem))];
  return problems.map((problem) => {
    const codes = wrong.filter((one) => one.problem === problem).map(({ code }) => code);
    return phrase`${listFact(codes)} ${problem}`;
  });
}
