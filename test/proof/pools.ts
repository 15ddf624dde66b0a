import { countEach } from "../../src/lib/group-by.ts";
import { type Fault, isOfDocument, isOfServer } from "../../src/reference/faults/fault.ts";
import { stepsOf } from "../../src/reference/steps.ts";

/**
 * Sorts faults into pools, so that one receiver can have all faults of a pool at once (group testing): no two of them
 * replace the same step or are caught by the same rule. Faults of the document are apart from all others, because it is
 * served only with them. Those of the authorization server are in as few pools as possible, because it takes time to start.
 * @param most how many faults a pool may have
 * @returns as few pools as the most frequent step or rule allows, of about the same size
 */
export function poolsOf(faults: readonly Fault[], most: number): readonly (readonly Fault[])[] {
  const kinds = [faults.filter(isOfDocument), faults.filter((fault) => !isOfDocument(fault))];
  return kinds.flatMap((ones) => pool(ones, most));
}

/** Whether a fault can be in a pool: a rule fails because of it, it needs no other kind of receiver, and it refuses no good request. */
export function canBePooled({ rule, seenAs, observed, variants }: Fault): boolean {
  const refuses = rule === "routes.reachable";
  return !refuses && seenAs === undefined && observed === undefined && variants === undefined;
}

/** Faults with one of these in common do not share a pool. */
function keysOf(fault: Fault): readonly unknown[] {
  return [...new Set([fault.rule, ...stepsOf(fault)])];
}

function pool(faults: readonly Fault[], most: number): Fault[][] {
  const frequency = countEach(faults.flatMap(keysOf));
  const rarity = (fault: Fault): number =>
    -Math.max(...keysOf(fault).map((key) => frequency.get(key) ?? 0));
  // The most frequent first: they need a pool each, which the others fill. So do those of the server.
  const sorted = faults.toSorted(
    (a, b) => Number(isOfServer(b)) - Number(isOfServer(a)) || rarity(a) - rarity(b),
  );
  const pools: { readonly members: Fault[]; readonly keys: Set<unknown> }[] = [];
  for (const fault of sorted) {
    const keys = keysOf(fault);
    const [smallest] = pools
      .filter((one) => one.members.length < most && !keys.some((key) => one.keys.has(key)))
      .toSorted((a, b) => a.members.length - b.members.length);
    if (smallest) {
      smallest.members.push(fault);
      for (const key of keys) smallest.keys.add(key);
    } else {
      pools.push({ members: [fault], keys: new Set(keys) });
    }
  }
  return pools.map(({ members }) => members);
}
