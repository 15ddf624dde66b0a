import { readFileSync } from "node:fs";

import formats from "ajv-formats";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";

import { fixturePath } from "../lib/package-root.ts";

/** The shared models and their versions, clause "Versioning". */
export const MODEL_VERSIONS = {
  Error: "0.1.0",
  ApplicationSubmissionError: "0.2.0",
  PaginatedQueryParams: "0.1.0",
  PaginatedBodyParams: "0.1.0",
  PaginatedResultsInfo: "0.1.0",
} as const;

export type ModelName = keyof typeof MODEL_VERSIONS;

/** One way in which a value is not what a model asks for. */
export interface ModelError {
  /** JSON Pointer (RFC 6901) to the member in question, also where it is missing; empty for the value itself. */
  readonly pointer: string;
  /** What is wrong, as a predicate: `must be an integer, but is a string`. */
  readonly message: string;
}

/** A value with a thousand faults is described well enough by the first of them. */
const MOST_ERRORS = 20;
/** Names of members come from the target and may be of any length. */
const LONGEST_NAME = 80;

// To compile the schema of schemas takes longer than a whole case; the tests hold the models against it.
const ajv = new Ajv2020({ allErrors: true, verbose: true, validateSchema: false });
formats.default(ajv);
const compiled = new Map<ModelName, ValidateFunction>();

/**
 * Compares a value with a model of the contract, as definite as the contract and no stricter.
 *
 * @param value - any JSON value; query parameters as integers, where their text is one
 * @returns at most one error for each member, at most twenty in all; empty when the value is valid.
 *   Nothing of the value is repeated but numbers and names of members, both made safe to print
 */
export function validateModel(model: ModelName, value: unknown): readonly ModelError[] {
  const validate = validator(model);
  if (validate(value)) return [];
  const errors = new Map<string, ModelError>();
  for (const error of validate.errors ?? []) {
    const found = { pointer: pointerOf(error), message: wording(error, model) };
    if (!errors.has(found.pointer)) errors.set(found.pointer, found);
    if (errors.size === MOST_ERRORS) break;
  }
  return [...errors.values()];
}

function validator(model: ModelName): ValidateFunction {
  const known = compiled.get(model);
  if (known) return known;
  const file = fixturePath("models", `${model}.${MODEL_VERSIONS[model]}.json`);
  const validate = ajv.compile(JSON.parse(readFileSync(file, "utf8")) as object);
  compiled.set(model, validate);
  return validate;
}

/** Points at the member that is missing or surplus, where ajv points at the object that lacks or has it. */
function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  const name: unknown =
    keyword === "required"
      ? params["missingProperty"]
      : keyword === "additionalProperties"
        ? params["additionalProperty"]
        : undefined;
  return typeof name === "string" ? `${instancePath}/${printable(name)}` : instancePath;
}

/** A member's name, which may come from a target, cut and made safe to print; as in a JSON Pointer. */
export function printable(name: string): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return short.replaceAll(/\p{C}/gu, "\u{FFFD}").replaceAll("~", "~0").replaceAll("/", "~1");
}

function wording({ keyword, params, data, message }: ErrorObject, model: ModelName): string {
  switch (keyword) {
    case "required":
      return "is required, but missing";
    case "additionalProperties":
      return `is not a member of ${model}`;
    case "type":
      return `must be ${withArticle(String(params["type"]))}, but is ${kindOf(data)}`;
    case "minimum":
      return `must be at least ${params["limit"]}, but is ${kindOf(data)}`;
    case "maximum":
      return `must be at most ${params["limit"]}, but is ${kindOf(data)}`;
    default:
      return message ?? `does not satisfy ${keyword}`;
  }
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === "number") return String(value);
  return Array.isArray(value) ? "an array" : withArticle(typeof value);
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
