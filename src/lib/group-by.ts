/** Groups things by key, in order. A thing without a key is in no group. */
export function groupBy<T, K>(
  things: Iterable<T>,
  keyOf: (thing: T) => K | undefined,
): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const thing of things) {
    const key = keyOf(thing);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}

/** How often each key occurs, in the order of the first occurrences. */
export function countEach<K>(keys: Iterable<K>): Map<K, number> {
  const counts = new Map<K, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The item as a list; empty unless the condition holds. */
export function itemIf<T>(condition: boolean, item: T): T[] {
  return condition ? [item] : [];
}
