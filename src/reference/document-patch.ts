import type { OpenApiObject } from "./model.ts";
import type { Patch } from "./steps.ts";

/**
 * A patch that sets one value in the document.
 * @param value `undefined` removes it
 */
export function documentWith(
  path: readonly string[],
  value: unknown,
): Patch & { step: "document" } {
  return {
    step: "document",
    patch: (original) => (receiver) => replaced(original(receiver), path, value) as OpenApiObject,
  };
}

function replaced(node: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const { [name]: known, ...others } = node as OpenApiObject;
  const changed = replaced(known, rest, value);
  return changed === undefined ? others : { ...others, [name]: changed };
}
