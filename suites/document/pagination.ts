import { Finding } from "../../src/probe/finding.ts";
import { INT32_MAX } from "../../src/probe/pagination/page.ts";
import { listFact, phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { DocumentedPageParameters } from "../../src/profile/document.ts";
import { onDocumented } from "../shared/documented.ts";

const SOURCE = "contract, Limits; OpenAPI 3.1 section 4.8.12; CeON/saos#711";

export const rule: Rule = defineRule({
  id: "document.pagination",
  title: "The document's pagination parameters match the contract",
  level: "SHOULD",
  verifies: [
    "service.common-pagination",
    "models.query.page.type",
    "models.query.page.default",
    "models.query.page.bounds",
    "models.query.page-size.type",
    "models.query.page-size.default",
    "models.query.page-size.bounds",
    "endpoints.pagination.get",
  ],
  phase: "record",
  cases: () =>
    onDocumented("parameters", SOURCE, async (operation, _documented, document) =>
      judgeParameters(await document.pageParameters(operation)),
    ),
});

function judgeParameters({ unresolved, present, problems }: DocumentedPageParameters): Finding {
  if (unresolved !== undefined && problems.length === 0) {
    return Finding.inconclusive(
      phrase`the document has a parameter whose reference ${unresolved} cannot be resolved`,
    );
  }
  if (!present)
    return Finding.notApplicable(phrase`the document has neither \`page\` nor \`pageSize\` for it`);
  if (problems.length === 0) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`\`page\` and \`pageSize\`, optional int32 from 1 to ${INT32_MAX}, by default 1 and 100`,
    actual: phrase`${listFact(problems, "; ")}`,
  };
}
