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

/**
 * A body in lower case, in which written values can be searched for. A JSON serializer may escape any character, RFC 8259
 * section 7, and some escape all that other formats treat specially.
 */
export function searchable(body: string): string {
  return body
    .toLowerCase()
    .replaceAll(/\\u00([2-7][\da-f])/g, (_escape, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)).toLowerCase(),
    );
}
