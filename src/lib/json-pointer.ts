import type { JsonObject } from "./json.ts";

/** A member's name as a token of a JSON Pointer, RFC 6901 §3. */
export function pointerToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value that a JSON Pointer names, RFC 6901, or `undefined`. */
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
