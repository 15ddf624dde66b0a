import { expect, test } from "vitest";

import { canBePooled, poolsOf } from "../../src/proof/pools.ts";
import { combination, complaint, prove, rulesOf } from "../../src/proof/prove.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";
import { ALL } from "./selection.ts";

/** The last fault of each rule: the first ones are the plainest. */
const lastOfEach = RULES.flatMap(({ id }) => FAULTS.findLast(({ rule }) => rule === id) ?? []);

/** Faults in receivers of their own with `PROOF=all`, by default several in one, and one receiver in eight of these. */
const pools = ALL
  ? lastOfEach.map((fault) => [fault])
  : poolsOf(lastOfEach.filter(canBePooled), 7).filter((_, index) => index % 8 === 0);

test.concurrent.for(pools.map((faults) => [faults.map(({ rule }) => rule), faults] as const))(
  "every rule runs, and only %j detect their faults",
  async ([rules, faults]) => {
    const names = faults.map(({ name }) => name);
    const proof = await prove(combination("fault", names));
    if (names.length === 1) expect(complaint(proof)).toBeUndefined();
    else {
      expect([...proof.suiteErrors, ...proof.unfollowed]).toEqual([]);
      expect(rulesOf(proof.seen).toSorted()).toEqual(rules.toSorted());
    }
  },
);
