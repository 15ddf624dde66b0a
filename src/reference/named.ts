import leven from "leven";

import { SuiteError } from "../lib/errors.ts";

/**
 * The fault or variant of that name.
 * @throws SuiteError that suggests the names that are most like it.
 */
export function named<Thing extends { readonly name: string }>(
  kind: "fault" | "variant",
  name: string,
  things: readonly Thing[],
): Thing {
  const found = things.find((thing) => thing.name === name);
  if (found) return found;
  const near = things
    .map((thing) => ({ name: thing.name, distance: distance(thing.name, name) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3);
  throw new SuiteError("ERR_NO_MATCH", `The reference receiver has no ${kind} called "${name}".`, {
    hint: `Did you mean ${near.map((thing) => thing.name).join(", ")}?`,
  });
}

/** Edits between two names; a name that begins with the other is near. */
function distance(name: string, wanted: string): number {
  return name.startsWith(wanted) || wanted.startsWith(name) ? 0 : leven(name, wanted);
}
