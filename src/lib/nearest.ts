import leven from "leven";

/**
 * Names in the order of their likeness to what somebody wrote.
 * @param distance edits between a name and what was written; default: as both are spelled
 */
export function byLikeness(
  wanted: string,
  names: readonly string[],
  distance: (name: string) => number = (name) => leven(name, wanted),
): readonly string[] {
  return names
    .map((name) => ({ name, edits: distance(name) }))
    .toSorted((one, other) => one.edits - other.edits)
    .map(({ name }) => name);
}

/**
 * The name that was probably meant.
 * @param options.most edits beyond which it was not
 * @returns `undefined` where no name is so near
 */
export function nearestName(
  wanted: string,
  names: readonly string[],
  {
    most = Infinity,
    distance = (name) => leven(name, wanted),
  }: {
    readonly most?: number;
    readonly distance?: (name: string) => number;
  } = {},
): string | undefined {
  const [nearest] = byLikeness(wanted, names, distance);
  return nearest !== undefined && distance(nearest) <= most ? nearest : undefined;
}
