import { describe, expect, it } from "vitest";

import { FAULTS } from "../../src/reference/index.ts";
import { stepsOf } from "../../src/reference/steps.ts";
import { canBePooled, poolsOf } from "./pools.ts";

const POOLABLE = FAULTS.filter(canBePooled);
describe("pools of faults", () => {
  const pools = poolsOf(POOLABLE, 7);

  it("contain each fault once", () => {
    const names = pools.flat().map(({ name }) => name);
    expect(names.toSorted()).toEqual(POOLABLE.map(({ name }) => name).toSorted());
  });

  it("contain no two faults of one rule or step, and no more than they may", () => {
    for (const pool of pools) {
      const keys = pool.flatMap((fault) => [fault.rule, ...new Set(stepsOf(fault))]);
      expect(new Set(keys).size).toBe(keys.length);
      expect(pool.length).toBeLessThanOrEqual(7);
    }
  });
});
