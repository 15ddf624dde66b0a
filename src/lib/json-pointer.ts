import type { JsonObject } from "./json.ts";

/** Escapes a member name as a reference token of a JSON Pointer, RFC 6901 §3. */
export function pointerToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a JSON Pointer (RFC 6901 §4), or `undefined` where there is none. */
export function atPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const raw of pointer.split("/").slice(1)) {
    const token = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, token)) {
      return undefined;
    }
    current = (current as JsonObject)[token];
  }
  return current;
}
