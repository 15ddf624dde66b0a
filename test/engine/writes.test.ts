import { describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import { UNDECIDED_BESIDE_WRITES } from "../../suites/receiver/ways/expect-not-reached.ts";
import {
  BAD,
  type Behaviour,
  type Call,
  HARMLESS,
  isWrite,
  refusal,
  refusing,
  refusingMany,
  runTiny,
} from "./tiny.ts";

const WRITES: readonly OperationId[] = OPERATION_IDS.filter((id) => OPERATIONS[id].writes);

/** Many cases that write, some to be accepted and some not. */
function writing(count: number): Rule {
  return refusingMany(count, WRITES, {
    judge: (probe, { id }) => (/[02468]@/.test(id) ? probe.rejects(BAD) : probe.accepts(HARMLESS)),
  });
}

function acceptedWrites(calls: readonly Call[], operation: OperationId): number {
  return calls.filter((call) => call.operation === operation).length;
}

describe("the write budget", () => {
  test("holds with a target that accepts everything", async () => {
    const { calls, finished, results } = await runTiny([writing(100)], {
      behaviour: () => ({ status: 200, body: { id: "c1" } }),
    });
    for (const id of WRITES) {
      expect(acceptedWrites(calls, id)).toBeLessThan(20);
      expect(finished.writes[id]).toBe(acceptedWrites(calls, id));
    }
    expect(finished.verdict).toBe("non-conformant");
    expect(results.some(({ code }) => code === "write-limit")).toBe(true);
  });

  test.each<[string, Behaviour]>([
    ["does not answer writes", (call) => (isWrite(call) && !call.isControl ? "hang" : undefined)],
    ...[502, 504].map((status): [string, Behaviour] => [
      `answers writes with ${status}`,
      (call) => (isWrite(call) && !call.isControl ? { status } : undefined),
    ]),
  ])("counts writes that may have been accepted: a target that %s", async (_what, behaviour) => {
    const { calls } = await runTiny([writing(60)], {
      behaviour,
      timesOut: true,
    });
    for (const id of WRITES) expect(acceptedWrites(calls, id)).toBeLessThan(20);
  });

  test("is kept where the controls of several phases lose their answers", async () => {
    const later = (["state", "quiet"] as const).map((phase) =>
      refusing(WRITES, { id: `tiny.${phase}`, phase }),
    );
    let probed = false;
    const { calls } = await runTiny([writing(60), ...later], {
      behaviour: (call) => {
        if (!isWrite(call)) return undefined;
        probed ||= call.isBad;
        return call.isControl && probed ? { status: 504 } : undefined;
      },
    });
    for (const id of WRITES) {
      // The bad ones are refused, so all others may have been accepted.
      const writes = calls.filter((call) => call.operation === id && !call.isBad);
      expect(writes.length).toBeGreaterThan(15);
      expect(writes.length).toBeLessThan(20);
    }
  });

  test("does not count refused writes, however many are in progress", async () => {
    const { calls, outcomes, finished } = await runTiny([writing(60)], {
      behaviour: ({ isBad, claims }) => (isBad || claims?.["harmless"] ? refusal(401) : undefined),
    });
    expect(acceptedWrites(calls, "editOrganization")).toBeGreaterThan(60);
    expect(finished.writes["editOrganization"]).toBeLessThan(6);
    expect(Object.values(outcomes)).not.toContain("inconclusive");
  });

  test("ends a rule after two accepted writes, and repeats neither", async () => {
    const { calls, results } = await runTiny([refusingMany(40, WRITES)], {
      behaviour: () => ({ status: 200 }),
    });
    for (const id of WRITES) {
      const failed = results.filter((one) => one.operation === id && one.outcome === "fail");
      expect(failed.length).toBe(2);
      const unsent = results.filter((one) => one.operation === id && one.code === "write-limit");
      expect(unsent.length).toBe(38);
      expect(calls.filter((call) => call.operation === id && call.isBad).length).toBe(2);
    }
  });

  test("goes to the first case of each rule before the others", async () => {
    const rules = ["a", "b", "c", "d", "e"].map((name) =>
      refusingMany(4, ["editOrganization"], { id: `tiny.${name}` }),
    );
    const { outcomes } = await runTiny(rules, { behaviour: () => ({ status: 200 }) });
    const firsts = rules.map(({ id }) => outcomes[`${id}/n0@editOrganization`]);
    expect(firsts).toEqual(rules.map(() => "fail"));
  });

  test("is not spent by reads", async () => {
    const { results } = await runTiny([refusingMany(25, ["viewOrganization"])], {
      behaviour: () => ({ status: 200 }),
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => "fail"));
    expect(results).toHaveLength(25);
  });

  test("names lost answers where they have spent it", async () => {
    const { results } = await runTiny([writing(60)], {
      behaviour: (call) => (isWrite(call) && !call.isControl ? { status: 0 } : undefined),
    });
    const unsent = results.filter(({ code }) => code === "write-limit");
    expect(unsent).not.toHaveLength(0);
    for (const { reason } of unsent) expect(reason).toMatch(/because answers to writes were lost/);
  });

  test("is never reported as a refused control", async () => {
    const { results } = await runTiny([writing(100)], {
      behaviour: ({ isBad }) => (isBad ? { status: 200, body: {} } : undefined),
    });
    const reasons = results.map(({ reason }) => reason ?? "");
    expect(reasons.filter((reason) => reason.includes("not accepted after"))).toEqual([]);
  });

  test("leaves room for the control after the probes", async () => {
    const { outcomes } = await runTiny([writing(40)], {
      behaviour: ({ isBad }) => (isBad ? refusal(401) : undefined),
    });
    const judged = Object.values(outcomes).filter((outcome) => outcome === "pass");
    // Twenty refused ones and as many accepted ones as there is room for.
    expect(judged.length).toBeGreaterThan(2 * (20 + 10));
  });
});

test("a case that cannot be decided beside other writes runs again, alone", async () => {
  let underWay = 0;
  const besides: boolean[] = [];
  const rule = refusing(undefined, {
    cases: () =>
      ["a", "b", "c"].map((id) => ({ id, operation: "editOrganization", writes: "beside" })),
    async judge(probe) {
      underWay += 1;
      await probe.attempt(BAD);
      besides.push(probe.besideWrites);
      const alone = underWay === 1;
      underWay -= 1;
      if (probe.besideWrites) return UNDECIDED_BESIDE_WRITES;
      return alone
        ? { kind: "pass" }
        : { kind: "inconclusive", reason: phrase`another case was under way` };
    },
  });
  const { outcomes } = await runTiny([rule]);
  expect(Object.values(outcomes)).toEqual(["pass", "pass", "pass"]);
  expect(besides).toEqual([true, true, true, false, false, false]);
});

test("no two writes have the same value", async () => {
  const { calls } = await runTiny([writing(10)]);
  const bodies = calls.filter(isWrite).map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(20);
  expect(new Set(bodies).size).toBe(bodies.length);
});

test("a write of the last phase that needs no other answer does not wait for the quiet phase", async () => {
  const late = refusing(["editOrganization"], {
    id: "tiny.late",
    phase: "record",
    cases: () => [{ id: "late", operation: "editOrganization", writes: "beside" }],
  });
  const { calls } = await runTiny([
    late,
    refusing(undefined, { id: "tiny.quiet", phase: "quiet" }),
  ]);
  expect(calls.filter(({ isBad }) => isBad).map(({ caseId }) => caseId)).toEqual([
    "tiny.late/late",
    "tiny.quiet/bad@viewOrganization",
  ]);
});
