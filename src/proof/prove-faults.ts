import { isDeepStrictEqual } from "node:util";

import { readKnownFaults } from "../engine/conclusion/signatures.ts";
import type { Outcome } from "../engine/events.ts";
import type { Fault } from "../reference/faults/fault.ts";
import { FAULTS } from "../reference/index.ts";
import { canBePooled, poolsOf } from "./pools.ts";
import type { ProveAll, Task } from "./prove-all.ts";
import { combination, complaint, type Proof } from "./prove.ts";

/** How many faults share a receiver at first, and how many of those that others hid, without these others. */
const POOL_SIZES = [8, 8, 8];

/** What a fault shows to its own rule when it is alone. */
interface Known {
  /** Cases that failed or warned, as `<outcome> <id>`. */
  readonly cases: ReadonlySet<string>;
  /** The gists of what they saw, where these tell the fault from others. */
  readonly saw?: readonly string[] | undefined;
  readonly open: Proof["open"];
}

/**
 * Proves all faults against every rule, several of them in one receiver. A fault is proven in a pool if no rule failed
 * that is not one of its pool, and if its own rule saw in exactly those cases what it sees when the fault is alone. A
 * fault that others hid is proven in a pool without these, and in the end alone.
 * @param proveThem proves tasks, and returns the proofs in their order
 * @returns proofs in the order of the faults, each as if the fault had been alone
 */
export async function proveFaults(proveThem: ProveAll): Promise<Proof[]> {
  const known = await knownOf(FAULTS, proveThem);
  const proofs = new Map<string, Proof>();
  const tried: (readonly Fault[])[] = [];
  for (const size of POOL_SIZES) {
    const left = FAULTS.filter(({ name }) => known.has(name) && !proofs.has(name));
    const pools = poolsOf(left, size, tried);
    tried.push(...pools);
    const tasks = pools.map((pool) => ({ subject: combination("fault", pool) }));
    for (const [index, proof] of (await proveThem(tasks)).entries()) {
      const pool = pools[index] ?? [];
      for (const fault of pool) {
        const own = shareOf(proof, fault, pool, known.get(fault.name));
        if (own) proofs.set(fault.name, own);
      }
    }
  }
  const alone = FAULTS.filter(({ name }) => !proofs.has(name));
  const last = await proveThem(alone.map(({ name }) => ({ subject: { kind: "fault", name } })));
  for (const proof of last) proofs.set(proof.subject.name, proof);
  return FAULTS.flatMap(({ name }) => proofs.get(name) ?? []);
}

/**
 * What the faults are known to show: by `fixtures/signatures.json`, and where that has none, by a run of the fault's
 * rule. Without the faults that cannot be pooled.
 */
async function knownOf(
  faults: readonly Fault[],
  proveThem: ProveAll,
): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  const signatures = new Map(readKnownFaults().signatures.map((one) => [one.fault, one]));
  const unknown: Fault[] = [];
  for (const fault of faults.filter(canBePooled)) {
    const { rule } = fault;
    const signature = signatures.get(fault.name);
    if (signature?.rule !== rule) {
      unknown.push(fault);
      continue;
    }
    const { fail = [], warn = [], open = [], saw } = signature;
    const ids = (outcome: Outcome, names: readonly string[]): string[] =>
      names.map((id) => `${outcome} ${rule}/${id}`);
    known.set(fault.name, {
      cases: new Set([...ids("fail", fail), ...ids("warn", warn)]),
      saw,
      open: open.map((id) => ({ id: `${rule}/${id}`, rule })),
    });
  }
  const tasks = unknown.map(({ name, rule }): Task => ({ subject: { kind: "fault", name }, rule }));
  for (const [index, proof] of (await proveThem(tasks)).entries()) {
    const fault = unknown[index];
    if (fault && complaint(proof) === undefined) {
      const open = proof.open.filter(({ rule }) => rule === fault.rule);
      known.set(fault.name, { cases: casesOf(proof, fault), open });
    }
  }
  return known;
}

/** The part of a pool's proof that is about one fault; `undefined` if another fault may have changed it. */
function shareOf(
  proof: Proof,
  fault: Fault,
  pool: readonly Fault[],
  known: Known | undefined,
): Proof | undefined {
  const seen = proof.seen.filter(({ rule }) => rule === fault.rule);
  const saw = new Set(seen.map(({ gist = "" }) => gist));
  const isBlamed = (rule: string): boolean => pool.some((one) => one.rule === rule);
  const isSame =
    known !== undefined &&
    proof.suiteErrors.length === 0 &&
    proof.unfollowed.length === 0 &&
    proof.seen.every(({ rule }) => isBlamed(rule)) &&
    isDeepStrictEqual(casesOf(proof, fault), known.cases) &&
    (known.saw === undefined || isDeepStrictEqual(saw, new Set(known.saw)));
  return isSame
    ? { ...proof, subject: { kind: "fault", name: fault.name }, seen, open: known.open }
    : undefined;
}

function casesOf({ seen }: Proof, { rule }: Fault): ReadonlySet<string> {
  return new Set(
    seen.filter((one) => one.rule === rule).map(({ id, outcome }) => `${outcome} ${id}`),
  );
}
