import type { OpenApiObject } from "./model.ts";
import type { Patch } from "./steps.ts";

/**
 * A patch that sets one value in the document.
 * @param value `undefined` removes it
 */
export function documentWith(path: readonly string[], value: unknown): Patch {
  return {
    document: (original) => (receiver) => withValue(original(receiver), path, value),
  };
}

/** A document with one value set; `undefined` removes it. */
export function withValue(
  node: OpenApiObject,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): OpenApiObject {
  const { [name]: known, ...others } = node;
  const changed = rest.length > 0 ? withValue(known as OpenApiObject, rest, value) : value;
  return changed === undefined ? others : { ...others, [name]: changed };
}
