import { atPointer } from "../lib/json-pointer.ts";
import { isObject } from "../lib/json.ts";

/** As many references are followed from one to the next. */
const LONGEST_CHAIN = 32;

/**
 * What a reference inside of a document (`#/…`, RFC 6901 §6) names; `undefined` for nothing, and for any
 * other. A pointer may pass through references, as in `#/components/schemas/Thing/properties/id` where
 * Thing is in another part.
 */
export function localTarget(root: unknown, reference: string, links = 0): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/") || links > LONGEST_CHAIN) return undefined;
  let current = root;
  for (const token of tokensOf(reference)) {
    const own = atPointer(current, token);
    const elsewhere = own === undefined && isObject(current) ? current["$ref"] : undefined;
    current =
      typeof elsewhere === "string" ? atPointer(followed(root, current, links + 1), token) : own;
    if (current === undefined) return undefined;
  }
  return current;
}

/** The steps of a pointer in a fragment, each a JSON Pointer; none that leads anywhere where it cannot be decoded. */
function tokensOf(reference: string): string[] {
  try {
    return decodeURIComponent(reference.slice(1)).match(/\/[^/]*/g) ?? [];
  } catch {
    return ["/"]; // A percent sign that is no escape.
  }
}

/** An object of a document, or what the references in its place lead to; `undefined` when that is no object. */
export function followed(
  root: unknown,
  node: unknown,
  links = 0,
): Readonly<Record<string, unknown>> | undefined {
  let current = node;
  for (let steps = links; steps < LONGEST_CHAIN; steps++) {
    if (!isObject(current)) return undefined;
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    current = localTarget(root, reference, steps + 1);
  }
  return undefined;
}
