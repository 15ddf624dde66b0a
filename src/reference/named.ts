import leven from "leven";

import { SuiteError } from "../lib/errors.ts";
import { byDistance } from "../lib/nearest.ts";

/**
 * Finds a fault or variant by name.
 * @throws SuiteError that suggests the most similar names
 */
export function named<Thing extends { readonly name: string }>(
  kind: "fault" | "variant",
  name: string,
  things: readonly Thing[],
): Thing {
  const found = things.find((thing) => thing.name === name);
  if (found) return found;
  const names = things.map((thing) => thing.name);
  const near = byDistance(names, (one) => distance(one, name)).slice(0, 3);
  throw new SuiteError("ERR_NO_MATCH", `The reference receiver has no ${kind} called "${name}".`, {
    hint: `Did you mean ${near.join(", ")}?`,
  });
}

/** Edit distance between two names. A name that starts with the other is near. */
function distance(name: string, wanted: string): number {
  return name.startsWith(wanted) || wanted.startsWith(name) ? 0 : leven(name, wanted);
}
