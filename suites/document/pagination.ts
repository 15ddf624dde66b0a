import { judgeDocumented, onDocumented } from "../../src/probe/documented.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { GREATEST } from "../../src/probe/pagination/ask.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type {
  DocumentedOperation,
  DocumentedParameter,
  DocumentedSchema,
} from "../../src/profile/document.ts";

const DEFAULTS: Readonly<Record<string, number>> = { page: 1, pageSize: 100 };

export const rule: Rule = defineRule({
  id: "document.pagination",
  title: "The pagination parameters that the document has agree with the contract",
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
  cases: () => onDocumented("parameters"),
  probe: (probe, { about }) => Promise.resolve(judgeDocumented(probe, about, judgeParameters)),
});

function judgeParameters({ query }: DocumentedOperation): Finding {
  const names = Object.keys(DEFAULTS);
  if (!names.some((name) => query.has(name))) {
    return { kind: "inapplicable", reason: "the document has neither page nor pageSize for it" };
  }
  const problems = names.flatMap((name) => {
    const problem = problemOf(query.get(name), DEFAULTS[name]);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  if (problems.length === 0) return { kind: "holds" };
  return {
    kind: "violated",
    expected: `page and pageSize, optional int32 from 1 to ${GREATEST}, by default 1 and 100`,
    actual: problems.join("; "),
  };
}

function problemOf(
  parameter: DocumentedParameter | undefined,
  usual: number | undefined,
): string | undefined {
  if (!parameter) return "is missing";
  if (parameter.required) return "is required";
  const { schema } = parameter;
  if (!schema) return "is of any type";
  if (schema.unusable !== undefined) return undefined;
  const { default: stated } = schema.merged;
  const bounds = boundsProblem(schema);
  if (bounds !== undefined) return bounds;
  if (stated === usual) return undefined;
  return stated === undefined ? "has no default" : `is ${JSON.stringify(stated)} by default`;
}

/** Found out by trying, so that it does not matter how the schema says it. */
function boundsProblem(schema: DocumentedSchema): string | undefined {
  const allows = (value: unknown): boolean => schema.problem(value) === undefined;
  if (allows("conformance") || allows(1.5)) return "may be something other than an integer";
  if (!allows(1)) return "may not be 1";
  if (allows(0)) return "may be less than 1";
  if (!allows(GREATEST)) return `may not be ${GREATEST}`;
  // An int32 ends there by itself.
  return schema.merged["format"] === "int32" || !allows(GREATEST + 1)
    ? undefined
    : `may be more than ${GREATEST}`;
}
