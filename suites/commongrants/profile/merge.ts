import { isDeepStrictEqual } from "node:util";

import { isObject, type JsonObject } from "../../../src/lib/json.ts";

/** The model of the rules: what RFC 7396 section 2 makes of a target and a patch. Neither is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

/** The patch that makes `to` of `from`; `undefined` where both are the same. */
export function patchBetween(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, wanted] = [from[name], to[name]];
    if (isDeepStrictEqual(old, wanted) || (isEmpty(old) && isEmpty(wanted))) continue;
    if (isEmpty(wanted)) patch[name] = null;
    else patch[name] = isObject(old) && isObject(wanted) ? patchBetween(old, wanted) : wanted;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Whether a member has no value: it is absent, null, or an object of such members. An emptied object may vanish. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isObject(value) && Object.values(value).every(isEmpty);
}
