import type { ErrorObject } from "ajv";

import { pointerToken } from "../lib/json-pointer.ts";
import { schemaIssueText, typeName } from "../lib/schema-issue.ts";
import type { ModelError } from "./model-error.ts";
import { type ModelName, modelValidator } from "./model-validator.ts";

/** The first errors describe a value well enough. */
const MOST_ERRORS = 20;
/** Member names come from the target and may have any length. */
const LONGEST_NAME = 80;

/**
 * Checks a value against a model of the contract. It is exactly as strict as the contract.
 *
 * @param value - any JSON value. For query parameters, pass integers where the text is an integer.
 * @returns at most one error per member and twenty in all; empty when the value is valid. Messages
 *   repeat only numbers and member names of the value, both safe to print.
 */
export function validateModel(model: ModelName, value: unknown): readonly ModelError[] {
  const validate = modelValidator(model);
  if (validate(value)) return [];
  const errors = new Map<string, ModelError>();
  for (const error of validate.errors ?? []) {
    const found: ModelError = {
      pointer: pointerOf(error),
      message: wording(error, model),
      isMissing: error.keyword === "required",
    };
    if (!errors.has(found.pointer)) errors.set(found.pointer, found);
    if (errors.size === MOST_ERRORS) break;
  }
  return [...errors.values()];
}

/** Points at the missing or surplus member itself, where Ajv points at the object around it. */
function pointerOf({ instancePath, params }: ErrorObject): string {
  const name: unknown = params["missingProperty"] ?? params["additionalProperty"];
  return typeof name === "string" ? `${instancePath}/${printable(name)}` : instancePath;
}

/** A member name cut to 80 characters, without control characters, escaped for JSON Pointer. */
export function printable(name: string): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return pointerToken(short.replaceAll(/\p{C}/gu, "\u{FFFD}"));
}

function wording({ keyword, params, data }: ErrorObject, model: ModelName): string {
  switch (keyword) {
    case "required":
      return "is required, but missing";
    case "additionalProperties":
      return `is not a member of ${model}`;
    case "type":
      return `must be ${typeName(params["type"])}, but is ${kindOf(data)}`;
    case "minimum":
      return `must be at least ${params["limit"]}, but is ${kindOf(data)}`;
    case "maximum":
      return `must be at most ${params["limit"]}, but is ${kindOf(data)}`;
    default:
      return schemaIssueText({ keyword, params });
  }
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === "number") return String(value);
  return typeName(Array.isArray(value) ? "array" : typeof value);
}
