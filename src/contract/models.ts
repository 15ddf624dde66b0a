import type { ErrorObject } from "ajv";

import { type ModelName, modelValidator } from "./model-validator.ts";

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

/**
 * Compares a value with a model of the contract, as definite as the contract and no stricter.
 *
 * @param value - any JSON value; query parameters as integers, where their text is one
 * @returns at most one error for each member, at most twenty in all; empty when the value is valid.
 *   Nothing of the value is repeated but numbers and names of members, both made safe to print
 */
export function validateModel(model: ModelName, value: unknown): readonly ModelError[] {
  const validate = modelValidator(model);
  if (validate(value)) return [];
  const errors = new Map<string, ModelError>();
  for (const error of validate.errors ?? []) {
    const found = { pointer: pointerOf(error), message: wording(error, model) };
    if (!errors.has(found.pointer)) errors.set(found.pointer, found);
    if (errors.size === MOST_ERRORS) break;
  }
  return [...errors.values()];
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
