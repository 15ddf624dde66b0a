import { atPointer } from "../lib/json-pointer.ts";
import { isObject } from "../lib/json.ts";

/** The longest chain of references that is followed. */
const LONGEST_CHAIN = 32;

/**
 * The node that a reference inside a document (`#/…`, RFC 6901 §6) points to; `undefined` for none, and for
 * any other reference. A pointer may pass through references, as in
 * `#/components/schemas/Thing/properties/id` where Thing is in another part.
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

/** The tokens of a pointer in a fragment; tokens that match nothing if it cannot be decoded. */
function tokensOf(reference: string): string[] {
  try {
    return decodeURIComponent(reference.slice(1)).match(/\/[^/]*/g) ?? [];
  } catch {
    return ["/"]; // A percent sign that is no escape.
  }
}

/** An object of a document, followed through references; `undefined` when there is none. */
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
