import { isDeepStrictEqual } from "node:util";

import { expect, test } from "vitest";

import { combination, complaint, type Proof, prove, rulesOf } from "../../src/proof/prove.ts";
import type { Fault } from "../../src/reference/faults/fault.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";
import { canBePooled, poolsOf } from "./pools.ts";
import { ALL, drawnOneIn } from "./selection.ts";

/** The last fault of each rule: the first ones are the plainest. */
const lastOfEach = RULES.flatMap(({ id }) => FAULTS.findLast(({ rule }) => rule === id) ?? []);

const shared = poolsOf(lastOfEach.filter(canBePooled), 7);

/** With `PROOF=all` each fault has a receiver of its own. By default several share one, and the commit draws which one is tried. */
const pools = ALL ? lastOfEach.map((fault) => [fault]) : drawnOneIn(shared.length, shared);

/** What is wrong with the proof of a receiver that has some faults; see `complaint`. */
function wrongWith(proof: Proof, faults: readonly Fault[]): string | undefined {
  if (faults.length === 1) return complaint(proof);
  const [error] = [...proof.suiteErrors, ...proof.unfollowed];
  const seen = rulesOf(proof.seen).toSorted();
  const isSeen = isDeepStrictEqual(seen, faults.map(({ rule }) => rule).toSorted());
  return error ?? (isSeen ? undefined : `seen by ${seen.join(", ")}`);
}

test.concurrent.for(pools.map((faults) => [faults.map(({ rule }) => rule), faults] as const))(
  "every rule runs, and only %j detect their faults",
  async ([, faults]) => {
    expect(wrongWith(await prove(combination("fault", faults)), faults)).toBeUndefined();
  },
);
