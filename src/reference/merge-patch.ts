import { isObject } from "../lib/json.ts";
import type { FieldError } from "./refusal.ts";

/** JSON types of the profile's fields that CommonGrants defines; others may have any value. */
const FIELD_TYPES: Readonly<Record<string, "string" | "object">> = {
  name: "string",
  mission: "string",
  yearFounded: "string",
  identifiers: "object",
  orgType: "object",
  addresses: "object",
  phones: "object",
  emails: "object",
  socials: "object",
  customFields: "object",
};

/** Deeper bodies are refused, so that nested brackets cannot exhaust the stack. */
const GREATEST_DEPTH = 32;

/** Applies an RFC 7396 merge patch. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

/** The errors of `body` as a merge patch of the organization `id`; empty when there are none. */
export function patchErrors(body: unknown, id: string): FieldError[] {
  if (!isObject(body)) return [{ field: "", message: "must be a JSON object" }];
  if (isDeeperThan(body, GREATEST_DEPTH)) {
    return [{ field: "", message: `must not be nested more than ${GREATEST_DEPTH} levels deep` }];
  }
  const errors: FieldError[] = [];
  if (Object.hasOwn(body, "id") && body["id"] !== id) {
    errors.push({ field: "id", message: "cannot be changed" });
  }
  if (body["name"] === null) errors.push({ field: "name", message: "cannot be removed" });
  for (const [field, type] of Object.entries(FIELD_TYPES)) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    const fits = type === "object" ? isObject(value) : typeof value === type;
    if (!fits)
      errors.push({ field, message: `must be ${type === "object" ? "an object" : "a string"}` });
  }
  return errors;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}
