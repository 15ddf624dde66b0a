import { isObject } from "../../lib/json.ts";

/** Shorter texts are words such as `id` that any answer may have. */
const SHORTEST = 4;
/** Shorter texts, and single words in lower case, may be in any sentence. */
const SHORTEST_WITHIN = 8;
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

/** Whether a text is long enough to be recognised, or to have one that can be, within another. */
export function isLong(text: string): boolean {
  return text.length >= SHORTEST_WITHIN;
}

/** Which of these texts are within another one, such as JSON or a sentence. A part of a longer one that is there is not counted. */
export function textsWithin(text: string, among: Iterable<string>): string[] {
  let left = text;
  return [...among]
    .filter((one) => isLong(one) && text.includes(one) && /[^a-z]/.test(one))
    .toSorted((a, b) => b.length - a.length)
    .filter((one) => {
      if (!left.includes(one)) return false;
      left = left.replaceAll(one, "\0");
      return true;
    });
}
