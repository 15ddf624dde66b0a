import { atPointer, isObject } from "../probe/shapes.ts";

/** As many references are followed from one to the next. */
const LONGEST_CHAIN = 32;

/** What a reference inside of a document (`#/…`, RFC 6901 §6) names; `undefined` for nothing, and for any other. */
export function localTarget(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  try {
    return atPointer(root, decodeURIComponent(reference.slice(1)));
  } catch {
    return undefined; // A percent sign that is no escape.
  }
}

/** An object of a document, or what the references in its place lead to; `undefined` when that is no object. */
export function followed(
  root: unknown,
  node: unknown,
): Readonly<Record<string, unknown>> | undefined {
  let current = node;
  for (let steps = 0; steps < LONGEST_CHAIN; steps++) {
    if (!isObject(current)) return undefined;
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    current = localTarget(root, reference);
  }
  return undefined;
}

/** Whether a document refers to anything outside of itself. */
export function hasForeignReferences(root: unknown): boolean {
  const seen = new Set<object>();
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const reference = (node as Record<string, unknown>)["$ref"];
    if (typeof reference === "string" && !reference.startsWith("#")) return true;
    pending.push(...(Object.values(node) as unknown[]));
  }
  return false;
}
