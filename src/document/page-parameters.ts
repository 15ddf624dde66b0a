import { INT32_MAX } from "../probe/pagination/page.ts";
import type {
  DocumentedOperation,
  DocumentedPageParameters,
  DocumentedParameter,
  DocumentedSchema,
} from "../profile/document.ts";

const DEFAULTS: Readonly<Record<string, number>> = { page: 1, pageSize: 100 };

/** How the document's parameters `page` and `pageSize` differ from the contract's. */
export function pageParameters(
  documented: DocumentedOperation | undefined,
): DocumentedPageParameters {
  const query = documented?.query ?? new Map<string, DocumentedParameter>();
  const names = Object.keys(DEFAULTS);
  const unresolved = names.every((name) => query.has(name))
    ? undefined
    : documented?.unresolvedParameter;
  const problems = names.flatMap((name) => {
    // It may be the one that could not be read.
    if (unresolved !== undefined && !query.has(name)) return [];
    const problem = problemOf(query.get(name), DEFAULTS[name]);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  return { unresolved, present: names.some((name) => query.has(name)), problems };
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

/** Tests the schema with values, so that it does not matter how it expresses the bounds. */
function boundsProblem(schema: DocumentedSchema): string | undefined {
  const allows = (value: unknown): boolean => schema.problem(value) === undefined;
  if (allows("conformance") || allows(1.5)) return "may be something other than an integer";
  if (!allows(1)) return "may not be 1";
  if (allows(0)) return "may be less than 1";
  if (!allows(INT32_MAX)) return `may not be ${INT32_MAX}`;
  // The format `int32` implies this bound.
  return schema.merged["format"] === "int32" || !allows(INT32_MAX + 1)
    ? undefined
    : `may be more than ${INT32_MAX}`;
}
