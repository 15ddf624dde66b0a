import { createRequire } from "node:module";

import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";

import { schemaIssueText } from "../lib/schema-issue.ts";
import type { DocumentedSchema, JsonSchema } from "../profile/document.ts";
import { type Dialect, type Direction, toJsonSchema, UnusableSchema } from "./json-schema.ts";
import { mergedSchema } from "./merge.ts";
import { linearPattern, type Pattern } from "./pattern.ts";
import { smallestValue } from "./smallest.ts";

/** Names of members come from the target and may have any length. */
const LONGEST_PROBLEM = 200;

const require = createRequire(import.meta.url);

/**
 * Loaded when the first schema is compiled, because the run of a few cases compiles none.
 *
 * `format` is not checked: 2020-12 does not by default, and 3.0 leaves it open. Only patterns that can be
 * judged are present; see `toJsonSchema`.
 */
const compiler = once(() => {
  const { Ajv2020: Ajv } = require("ajv/dist/2020.js") as { Ajv2020: typeof Ajv2020 };
  return new Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    multipleOfPrecision: 9,
    logger: false,
    addUsedSchema: false,
    code: { regExp: Object.assign(knownPattern, { code: "knownPattern" }) },
  });
});

function knownPattern(pattern: string): Pattern {
  const known = linearPattern(pattern);
  if (!known) throw new UnusableSchema("it has a pattern that cannot be judged");
  return known;
}

/** Wraps a schema of a document. It is compiled at its first use. */
export function documentedSchema(
  root: unknown,
  schema: unknown,
  dialect: Dialect,
  direction: Direction,
): DocumentedSchema {
  let unusable: string | undefined;
  const unjudged = new Set<string>();
  const json = once(() =>
    attempt(() => toJsonSchema(root, schema, dialect, direction, unjudged), explain),
  );
  const validate = once(() => {
    const made = json();
    return made && attempt(() => compiler().compile(made), explain);
  });
  function explain(error: unknown): void {
    unusable = whyUnusable(error, json).slice(0, LONGEST_PROBLEM);
  }
  const problem = (value: unknown): string | undefined => {
    const check = validate();
    // A value that is nested too deeply for the stack is not judged.
    return !check || attempt(() => check(value)) !== false ? undefined : worded(check);
  };
  const mergedPart = (part: unknown): JsonSchema => mergedSchema(part, json() ?? {});
  const smallest = once(() => {
    if (!validate()) return undefined;
    const { examples } = mergedPart(json());
    const candidates = [smallestValue(json() ?? {}), ...(Array.isArray(examples) ? examples : [])];
    return candidates.find((value) => problem(value) === undefined);
  });
  return {
    get unusable() {
      validate();
      return unusable;
    },
    get unjudged() {
      json();
      return [...unjudged];
    },
    get merged() {
      return mergedPart(json());
    },
    mergedPart,
    problem,
    smallest: () => structuredClone(smallest()),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Runs a function and ignores its error: a broken schema is not the answer's fault. */
function attempt<T>(make: () => T, explain?: (error: unknown) => void): T | undefined {
  try {
    return make();
  } catch (error) {
    explain?.(error);
    return undefined;
  }
}

/** Why a schema cannot be used. */
function whyUnusable(error: unknown, json: () => JsonSchema | undefined): string {
  if (error instanceof UnusableSchema) return error.message;
  // Of the stack.
  if (error instanceof RangeError) return "it is nested too deeply";
  const made = json();
  const isValid = made === undefined || attempt(() => compiler().validateSchema(made)) !== false;
  const [wrong] = isValid ? [] : innermostFirst(compiler().errors);
  if (!wrong) return "it is not a JSON Schema that can be applied";
  const keyword = wrong.instancePath.split("/").findLast((part) => !/^\d*$/.test(part)) ?? "";
  return `its \`${keyword}\` ${schemaIssueText(wrong)}`;
}

function worded({ errors }: ValidateFunction): string {
  const [innermost] = innermostFirst(errors);
  if (!innermost) return "the body is not valid";
  const place = innermost.instancePath.replaceAll(/\/\d+(?=\/|$)/g, "/*");
  return `${place ? `\`${place}\`` : "the body"} ${schemaIssueText(innermost)}`.slice(
    0,
    LONGEST_PROBLEM,
  );
}

/** The outer errors only say that something inside is wrong. */
function innermostFirst(errors: readonly ErrorObject[] | null | undefined): ErrorObject[] {
  return (errors ?? []).toSorted((a, b) => depth(b) - depth(a));
}

function depth({ instancePath }: ErrorObject): number {
  return instancePath.split("/").length;
}
