import leven from "leven";

/** Sorts names by their distance from a word, the nearest first. */
export function byDistance(
  names: readonly string[],
  distance: (name: string) => number,
): readonly string[] {
  return names.toSorted((one, other) => distance(one) - distance(other));
}

/**
 * Finds the name that was probably meant.
 * @param options.most the largest distance that still counts; default: any
 * @param options.distance as in `byDistance`; default: the Levenshtein distance
 * @returns `undefined` where no name is that close
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
  const [nearest] = byDistance(names, distance);
  return nearest !== undefined && distance(nearest) <= most ? nearest : undefined;
}
