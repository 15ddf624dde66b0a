import { listed } from "./words.ts";

/** What a validator of JSON Schema says about one keyword; the parts of Ajv's `ErrorObject` that matter. */
export interface SchemaIssue {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** JSON Pointer to the value. */
  readonly instancePath: string;
}

/**
 * What is wrong with a value, in this project's words; those of the validator reach nobody. It ends a sentence that
 * begins with the value's place, and quotes nothing of the value but the names of members.
 */
export function schemaIssueText({ keyword, params }: Omit<SchemaIssue, "instancePath">): string {
  const say = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
  return say?.(params) ?? `does not satisfy \`${keyword}\` of its schema`;
}

type Params = SchemaIssue["params"];

/** The keywords of JSON Schema draft 04 and 2020-12 that a value can violate. */
const KEYWORDS: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type, nullable }) =>
    `must be ${listed([type].flat().map(typeName), "or")}${nullable === true ? " or null" : ""}`,
  required: ({ missingProperty }) => `lacks the member ${name(missingProperty)}`,
  dependencies: dependent,
  dependentRequired: dependent,
  additionalProperties: ({ additionalProperty }) =>
    `may not have the member ${name(additionalProperty)}`,
  unevaluatedProperties: ({ unevaluatedProperty }) =>
    `may not have the member ${name(unevaluatedProperty)}`,
  propertyNames: ({ propertyName }) => `may not have a member with the name ${name(propertyName)}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, "member")}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, "member")}`,
  enum: ({ allowedValues }) =>
    Array.isArray(allowedValues)
      ? `must be ${listed(allowedValues.map(value), "or")}`
      : "has no such value",
  const: ({ allowedValue }) => `must be ${value(allowedValue)}`,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, "character")}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, "character")}`,
  pattern: ({ pattern }) => `must match the pattern \`${String(pattern)}\``,
  format: ({ format }) => `must have the format \`${String(format)}\``,
  minItems: ({ limit }) => `must have at least ${counted(limit, "item")}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, "item")}`,
  items: surplusItems,
  additionalItems: surplusItems,
  unevaluatedItems: surplusItems,
  uniqueItems: () => "may have no two equal items",
  contains: ({ minContains, maxContains }) =>
    `must have ${containing(Number(minContains), maxContains)} that its schema asks for`,
  anyOf: () => "must match at least one of the schemas in `anyOf`",
  oneOf: ({ passingSchemas }) =>
    Array.isArray(passingSchemas)
      ? "must match exactly one of the schemas in `oneOf`, and matches several"
      : "must match exactly one of the schemas in `oneOf`, and matches none",
  not: () => "may not match the schema in `not`",
  if: ({ failingKeyword }) => `must match the schema in \`${String(failingKeyword)}\``,
  "false schema": () => "may not be there",
};

function dependent({ property, missingProperty }: Params): string {
  return `has the member ${name(property)}, and so must have ${name(missingProperty)}`;
}

const COMPARISONS: Readonly<Record<string, string>> = {
  ">=": "at least",
  "<=": "at most",
  ">": "more than",
  "<": "less than",
};

function bound({ comparison, limit }: Params): string {
  return `must be ${COMPARISONS[String(comparison)] ?? "within"} ${String(limit)}`;
}

function surplusItems({ limit }: Params): string {
  return `may have no more than ${counted(limit, "item")}`;
}

function containing(least: number, most: unknown): string {
  const atLeast = `at least ${counted(Number.isNaN(least) ? 1 : least, "item")}`;
  return most === undefined ? atLeast : `${atLeast} and at most ${Number(most)}`;
}

function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

function name(member: unknown): string {
  return `\`${String(member)}\``;
}

function value(allowed: unknown): string {
  return JSON.stringify(allowed) ?? String(allowed);
}

/** A type of JSON as a noun. */
export function typeName(type: unknown): string {
  const noun = String(type);
  if (noun === "null") return noun;
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
