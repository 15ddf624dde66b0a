/** Fewer repetitions of a pair would not pay for its own row. */
const FEWEST = 5;
/** Pairs of pairs: later rounds find little. */
const ROUNDS = 8;

/**
 * Replaces pairs of neighbours that occur often by one number each, so that a sequence that many lists share is kept once.
 * @param lists are changed
 * @param make is given the two neighbours, and returns the number that stands for them
 */
export function pairUp(
  lists: readonly number[][],
  make: (first: number, second: number) => number,
): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const often = new Map([...countPairs(lists)].filter(([, count]) => count >= FEWEST));
    if (often.size === 0) return;
    const made = new Map<string, number>();
    for (const list of lists) replaceIn(list, often, made, make);
  }
}

function countPairs(lists: readonly (readonly number[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (let at = 1; at < list.length; at += 1) {
      const pair = pairAt(list, at);
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  return counts;
}

/** Of two pairs that overlap, the more frequent one is replaced. */
function replaceIn(
  list: number[],
  often: ReadonlyMap<string, number>,
  made: Map<string, number>,
  make: (first: number, second: number) => number,
): void {
  const countAt = (at: number): number =>
    at < list.length ? (often.get(pairAt(list, at)) ?? 0) : 0;
  const shorter: number[] = [];
  for (let at = 0; at < list.length; at += 1) {
    const count = countAt(at + 1);
    const first = list[at] ?? 0;
    if (count === 0 || count < countAt(at + 2)) {
      shorter.push(first);
      continue;
    }
    const pair = pairAt(list, at + 1);
    const known = made.get(pair) ?? make(first, list[at + 1] ?? 0);
    made.set(pair, known);
    shorter.push(known);
    at += 1;
  }
  list.splice(0, list.length, ...shorter);
}

function pairAt(list: readonly number[], at: number): string {
  return `${list[at - 1]} ${list[at]}`;
}
