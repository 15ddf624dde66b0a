import { describe, expect, it } from "vitest";

import { readKnownFaults } from "../../src/engine/conclusion/signatures.ts";
import { canBePooled, poolsOf } from "../../src/proof/pools.ts";
import type { Task } from "../../src/proof/prove-all.ts";
import { proveFaults } from "../../src/proof/prove-faults.ts";
import type { Proof } from "../../src/proof/prove.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { stepsOf } from "../../src/reference/steps.ts";

const POOLABLE = FAULTS.filter(canBePooled);
const HIDDEN = "issuer-unchecked";
const signatures = new Map(readKnownFaults().signatures.map((one) => [one.fault, one]));

/** What the rules see of these faults when none hides another. */
function seenOf(names: readonly string[]): Proof["seen"] {
  return names.flatMap((name) => {
    const rule = FAULTS.find((fault) => fault.name === name)?.rule ?? "";
    const { fail = [], warn = [], saw = [] } = signatures.get(name) ?? { fail: ["its-own"] };
    return [
      ...fail.map((id) => ({ id: `${rule}/${id}`, rule, outcome: "fail" as const })),
      ...warn.map((id) => ({ id: `${rule}/${id}`, rule, outcome: "warn" as const })),
    ].map((one, index) => ({ ...one, gist: saw[index % saw.length] }));
  });
}

/** A prover that sees what `change` leaves of what the rules should see, and the names of what it proved. */
function prover(change: (seen: Proof["seen"], names: readonly string[]) => Proof["seen"]): {
  readonly asked: (readonly string[])[];
  readonly prove: (tasks: readonly Task[]) => Promise<readonly Proof[]>;
} {
  const asked: (readonly string[])[] = [];
  return {
    asked,
    async prove(tasks) {
      return tasks.map(({ subject, rule }) => {
        const names = subject.name.split(" + ");
        if (rule === undefined) asked.push(names);
        return {
          subject,
          verdict: "non-conformant",
          seen: change(seenOf(names), names),
          held: [],
          observed: [],
          open: [],
          suiteErrors: [],
          unfollowed: [],
        };
      });
    },
  };
}

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

  it("contain no two faults that shared an earlier one", () => {
    const again = poolsOf(POOLABLE, 7, pools);
    for (const pool of again) {
      for (const earlier of pools) {
        expect(pool.filter((fault) => earlier.includes(fault)).length).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe("the proof of faults", () => {
  it("gives each fault the cases that its rule saw, from few receivers", async () => {
    const { asked, prove } = prover((seen) => seen);
    const proofs = await proveFaults(prove);
    expect(proofs.map(({ subject }) => subject.name)).toEqual(FAULTS.map(({ name }) => name));
    for (const { subject, seen } of proofs) expect(seen).toEqual(seenOf([subject.name]));
    expect(asked.length).toBeLessThan(FAULTS.length / 4);
  });

  it("proves a fault alone that others hide", async () => {
    const { asked, prove } = prover((seen, names) =>
      names.length > 1 && names.includes(HIDDEN)
        ? seen.filter(({ rule }) => rule !== "receiver.issuer")
        : seen,
    );
    const proofs = await proveFaults(prove);
    expect(asked.findLast((names) => names.includes(HIDDEN))).toEqual([HIDDEN]);
    expect(proofs.find(({ subject }) => subject.name === HIDDEN)?.seen).toEqual(seenOf([HIDDEN]));
  });

  it("proves a fault alone that its rule sees in other cases than before", async () => {
    const { asked, prove } = prover((seen, names) => {
      const first = seen.find(({ rule }) => rule === "receiver.issuer");
      return names.includes(HIDDEN) ? seen.filter((one) => one !== first) : seen;
    });
    await proveFaults(prove);
    expect(asked).toContainEqual([HIDDEN]);
  });

  it("proves every fault of a pool alone in which another rule failed", async () => {
    const elsewhere = { id: "errors.shape/x", rule: "errors.shape", outcome: "fail" as const };
    const { asked, prove } = prover((seen, names) =>
      names.includes(HIDDEN) ? [...seen, elsewhere] : seen,
    );
    const proofs = await proveFaults(prove);
    expect(asked).toContainEqual([HIDDEN]);
    const blamed = proofs.filter(({ seen }) => seen.includes(elsewhere));
    expect(blamed.map(({ subject }) => subject.name)).toEqual([HIDDEN]);
  });
});
