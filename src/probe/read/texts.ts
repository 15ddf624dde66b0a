import { isObject } from "../../lib/json.ts";

/** Shorter texts are words such as `id` that any answer may have. */
const SHORTEST = 4;
/** The most texts of one answer. */
const MOST = 2000;

/** The texts that are values in JSON, at any depth, without the shortest ones. */
export function textsIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [value];
  while (open.length > 0 && found.size < MOST) {
    const one = open.pop();
    if (typeof one === "string" && one.length >= SHORTEST) found.add(one);
    if (Array.isArray(one)) open.push(...(one as unknown[]));
    else if (isObject(one)) open.push(...Object.values(one));
  }
  return found;
}
