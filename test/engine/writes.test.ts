import { describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import { exitCode } from "../../src/engine/judge.ts";
import { planRun } from "../../src/engine/plan.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { inWords, phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { UNDECIDED_BESIDE_WRITES } from "../../src/probe/ways/expect-not-reached.ts";
import {
  type AskedWrite,
  createWriteBudget,
  type WritePurpose,
} from "../../src/probe/write/budget.ts";
import { createWriteLimit } from "../../src/probe/write/writes.ts";
import { referenceTarget } from "../support/target.ts";
import { BAD, type Behaviour, type Call, HARMLESS, refusal, refusing, runTiny } from "./tiny.ts";

const WRITES: readonly OperationId[] = OPERATION_IDS.filter((id) => OPERATIONS[id].writes);
const isWrite = ({ method }: Call): boolean => method !== "GET";

/** Many cases that write, some to be accepted and some not. */
function writing(count: number): Rule {
  return defineRule({
    ...refusing(),
    cases: () =>
      WRITES.flatMap((operation) =>
        Array.from({ length: count }, (_, n) => ({
          id: `n${n}@${operation}`,
          operation,
          even: n % 2 === 0,
        })),
      ),
    probe: (probe, testCase) =>
      (testCase as unknown as { even: boolean }).even
        ? probe.rejects(BAD)
        : probe.accepts(HARMLESS),
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
    [
      "answers writes with 504",
      (call) => (isWrite(call) && !call.isControl ? { status: 504 } : undefined),
    ],
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
    const { calls, outcomes, finished } = await runTiny([writing(120)], {
      behaviour: ({ isBad, claims }) => (isBad || claims?.["harmless"] ? refusal(401) : undefined),
    });
    expect(acceptedWrites(calls, "editOrganization")).toBeGreaterThan(120);
    expect(finished.writes["editOrganization"]).toBeLessThan(6);
    expect(Object.values(outcomes)).not.toContain("inconclusive");
  });

  test("ends a rule after two accepted writes, and repeats neither", async () => {
    const rule = defineRule({
      ...refusing(),
      cases: () =>
        WRITES.flatMap((operation) =>
          Array.from({ length: 40 }, (_, n) => ({ id: `n${n}@${operation}`, operation })),
        ),
      probe: (probe) => probe.rejects(BAD),
    });
    const { calls, results } = await runTiny([rule], { behaviour: () => ({ status: 200 }) });
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
      defineRule({
        ...refusing(),
        id: `tiny.${name}`,
        cases: () =>
          Array.from({ length: 4 }, (_, n) => ({ id: `n${n}`, operation: "editOrganization" })),
        probe: (probe) => probe.rejects(BAD),
      }),
    );
    const { outcomes } = await runTiny(rules, { behaviour: () => ({ status: 200 }) });
    const firsts = rules.map(({ id }) => outcomes[`${id}/n0`]);
    expect(firsts).toEqual(rules.map(() => "fail"));
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

test.each<[WritePurpose, WritePurpose]>([
  ["wanted", "wanted"],
  ["needed", "control"],
  ["confirming", "wanted"],
])("a %s write and one that is %s are never under way at once", async (first, second) => {
  const limit = createWriteLimit();
  const open: ((reply: Reply) => void)[] = [];
  const write = (operation: OperationId, purpose: WritePurpose): Promise<Reply | undefined> =>
    limit.run(
      OPERATIONS[operation],
      must(purpose, purpose),
      () => new Promise((answer) => open.push(answer)),
    );
  const asked = [write("editOrganization", first), write("submitChange", second)];
  for (const _ of asked) {
    await new Promise((done) => setImmediate(done));
    expect(open).toHaveLength(1);
    open.shift()?.(answered(200));
  }
  await Promise.all(asked);
});

test("a case that cannot be decided beside other writes runs again, alone", async () => {
  let underWay = 0;
  const besides: boolean[] = [];
  const rule = defineRule({
    ...refusing(),
    cases: () => ["a", "b", "c"].map((id) => ({ id, operation: "editOrganization", beside: true })),
    async probe(probe) {
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

test("a rule with two accepted writes sends no more, and leaves room for others", async () => {
  const limit = createWriteLimit();
  const write = (rule: string): Promise<Reply | undefined> =>
    limit.run(OPERATIONS.editOrganization, must("unwanted", rule), () =>
      Promise.resolve({ status: 200, headers: {}, exchange: {} } as unknown as Reply),
    );
  const first = await Promise.all([1, 2, 3, 4, 5].map(() => write("one")));
  expect(first.filter((reply) => reply !== undefined)).toHaveLength(2);
  expect(await write("two")).toBeDefined();
});

test("after many unwanted accepted writes, the writes that other rules need are still sent", async () => {
  const limit = createWriteLimit();
  const write = (purpose: WritePurpose, rule: string): Promise<Reply | undefined> =>
    limit.run(OPERATIONS.editOrganization, must(purpose, rule), () =>
      Promise.resolve({ status: 200, headers: {}, exchange: {} } as unknown as Reply),
    );
  for (let n = 0; n < 20; n++) {
    await write("unwanted", `rule ${n}`);
    await write("confirming", `rule ${n}`);
    await write("wanted", `rule ${n}`);
  }
  expect(await write("needed", "shared")).toBeDefined();
  expect(await write("control", "control")).toBeDefined();
  expect(limit.accepted("editOrganization")).toBeLessThan(20);
});

test("what a case only observes counts as no surprise, and leaves writes for the verdict", async () => {
  const limit = createWriteLimit();
  const write = (asked: AskedWrite): Promise<Reply | undefined> =>
    limit.run(OPERATIONS.editOrganization, asked, () => Promise.resolve(answered(200)));
  const observed = Array.from({ length: 20 }, (_, n) =>
    write({ purpose: "unwanted", rule: `rule ${n}`, level: "OBSERVE" }),
  );
  const sent = (await Promise.all(observed)).filter((reply) => reply !== undefined);
  expect(sent.length).toBeGreaterThan(7);
  expect(await write(must("unwanted", "judged"))).toBeDefined();
  expect(await write(must("late", "judged"))).toBeDefined();
  expect(limit.reached("editOrganization").reason).not.toEqual(
    limit.reached("submitChange").reason,
  );
});

test("a page that answers a bad write counts as no write, unless good ones get a page too", async () => {
  const limit = createWriteLimit();
  const page = answered(200, { "content-type": "text/html; charset=utf-8" });
  const write = (asked: AskedWrite, reply: Reply): Promise<Reply | undefined> =>
    limit.run(OPERATIONS.editOrganization, asked, () => Promise.resolve(reply));
  await write(must("control", "control"), answered(200));
  for (let n = 0; n < 30; n++) {
    expect(await write(must("unwanted", "rule"), page)).toBeDefined();
  }
  expect(limit.accepted("editOrganization")).toBe(1);
  await write(must("control", "control"), page);
  await write(must("unwanted", "rule"), page);
  expect(limit.accepted("editOrganization")).toBe(3);
});

/** Makes edits of one run, one by one, and counts the accepted ones. */
function counter(): (asked: AskedWrite, reply: Reply) => Promise<number> {
  const limit = createWriteLimit();
  return async (asked, reply) => {
    await limit.run(OPERATIONS.editOrganization, asked, () => Promise.resolve(reply));
    return limit.accepted("editOrganization");
  };
}

describe("a bad write that is not exactly a route, and gets the answer of an unknown path,", () => {
  const stray = { ...answered(200), body: "{}", hasBody: true } as Reply;
  const besideRoutes = { ...must("unwanted", "rule"), unknownPath: { body: "{}" } };

  test("counts as no write", async () => {
    expect(await counter()(besideRoutes, stray)).toBe(0);
  });

  test("counts if good writes are answered alike", async () => {
    const write = counter();
    await write(must("control", "control"), stray);
    expect(await write(besideRoutes, stray)).toBe(2);
  });

  test.each<[string, AskedWrite, Reply]>([
    ["exactly a route", must("unwanted", "rule"), stray],
    ["answered otherwise", besideRoutes, { ...stray, body: "[]" }],
    ["answered without a body", { ...besideRoutes, unknownPath: { body: "" } }, answered(204)],
    ["beside a refused unknown path", { ...besideRoutes, unknownPath: { body: undefined } }, stray],
  ])("counts if it is %s", async (_what, asked, reply) => {
    expect(await counter()(asked, reply)).toBe(1);
  });
});

test("cases that are not sent after bad writes beside the routes name that reason", () => {
  const budget = createWriteBudget();
  budget.note({ ...must("unwanted", "rule"), unknownPath: { body: undefined } }, answered(200));
  expect(inWords(budget.reached().reason)).toContain("not exactly a route");
  budget.note(must("unwanted", "rule"), answered(200));
  expect(inWords(budget.reached().reason)).toContain("what was wrongly accepted");
});

test("a write of the last phase that needs no other answer does not wait for the quiet phase", async () => {
  const late = refusing(["editOrganization"], {
    id: "tiny.late",
    phase: "record",
    cases: () => [{ id: "late", operation: "editOrganization", beside: true }],
    probe: (probe) => probe.rejects(BAD),
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

function must(purpose: WritePurpose, rule: string): AskedWrite {
  return { purpose, rule, level: "MUST" };
}

function answered(status: number, headers = {}): Reply {
  return { status, headers, exchange: {} } as unknown as Reply;
}

describe("writes that must be refused", () => {
  const edit = OPERATIONS.editOrganization;
  test("are sent in parallel only as long as all of them may be accepted", async () => {
    const limit = createWriteLimit();
    const open: ((reply: Reply) => void)[] = [];
    const write = (rule: string): Promise<Reply | undefined> =>
      limit.run(edit, must("unwanted", rule), () => new Promise((answer) => open.push(answer)));
    const asked = Array.from({ length: 12 }, (_, n) => write(`rule ${n}`));
    await new Promise((done) => setImmediate(done));
    const atOnce = open.length;
    expect(atOnce).toBeGreaterThan(1);
    expect(atOnce).toBe(limit.beginStage("editOrganization", "MUST").inAll);
    for (const answer of open.splice(0)) answer(answered(200));
    const replies = await Promise.all(asked);
    // All of these were accepted, so none of the others is sent.
    expect(replies.filter((reply) => reply !== undefined)).toHaveLength(atOnce);
    expect(open).toEqual([]);
    expect(limit.beginStage("editOrganization", "MUST").inAll).toBe(0);
  });

  test("are sent in larger stages once many were refused, which the budget allows for too", async () => {
    const limit = createWriteLimit();
    const send = (purpose: WritePurpose, rule: string, status: number) =>
      limit.run(edit, must(purpose, rule), () => Promise.resolve(answered(status)));
    const stage = async (status: number): Promise<number> => {
      const { inAll, ofRule } = limit.beginStage("editOrganization", "MUST");
      const rules = Array.from({ length: inAll }, (_, n) => `rule ${Math.floor(n / ofRule)}`);
      const replies = await Promise.all(rules.map((rule) => send("unwanted", rule, status)));
      expect(replies).not.toContain(undefined);
      return inAll;
    };
    await send("control", "control", 200);
    const first = await stage(401);
    expect(await stage(200)).toBeGreaterThan(first);
    // This stage was accepted, so nothing that should be refused is sent any more.
    expect(limit.beginStage("editOrganization", "MUST").inAll).toBeLessThan(1);
    expect(await send("unwanted", "another rule", 200)).toBeUndefined();
    expect(await send("needed", "shared", 200)).toBeDefined();
    for (let n = 0; n < 9; n++) await send("control", "control", 200);
    expect(limit.accepted("editOrganization")).toBeLessThan(20);
  });

  test("are sent as many of a rule at once when fewer may be accepted, once many were refused", async () => {
    const limit = createWriteLimit();
    const send = (purpose: WritePurpose, status: number) =>
      limit.run(edit, must(purpose, "rule"), () => Promise.resolve(answered(status)));
    for (let n = 0; n < 10; n++) await send("unwanted", 401);
    const many = limit.beginStage("editOrganization", "MUST");
    for (let n = 0; n < 10; n++) await send("wanted", 200);
    const few = limit.beginStage("editOrganization", "MUST");
    expect(few.inAll).toBeLessThan(many.inAll);
    expect(few.inAll).toBeGreaterThan(few.ofRule);
    expect(few.ofRule).toBe(many.ofRule);
  });

  test("are sent again, one at a time, after a conflict with each other", async () => {
    const limit = createWriteLimit();
    let underWay = 0;
    const sentBeside: number[] = [];
    const write = (rule: string): Promise<Reply | undefined> =>
      limit.run(edit, must("unwanted", rule), async () => {
        underWay += 1;
        await new Promise((done) => setImmediate(done));
        const beside = underWay - 1;
        sentBeside.push(beside);
        underWay -= 1;
        return answered(beside > 0 ? 409 : 401);
      });
    const replies = await Promise.all(["one", "two", "three"].map(write));
    expect(replies.map((reply) => reply?.status)).toEqual([401, 401, 401]);
    expect(sentBeside.slice(-2)).toEqual([0, 0]);
  });
});

describe("when writes are not allowed", () => {
  const rules = [
    refusing(OPERATION_IDS),
    // Its operation does not write, but this rule does.
    refusing(["listOrganizations"], {
      id: "tiny.sly",
      probe: (probe) => probe.rejects({ ...BAD, request: (spec) => ({ ...spec, method: "POST" }) }),
    }),
    refusing(["viewOrganization"], {
      id: "tiny.elsewhere",
      probe: (probe) => probe.rejects(BAD, { operation: "editOrganization" }),
    }),
  ];

  test.each([
    ["--read-only wins over consent", { readOnly: true }],
    ["there is no consent by default", { profile: { writes: false } }],
    ["consent needs an organization", { profile: { organizations: {} } }],
  ])("neither PATCH nor POST is sent: %s", async (_what, options) => {
    const { calls } = await runTiny(rules, options);
    expect(calls.filter(isWrite)).toEqual([]);
  });

  test.each([
    ["there is no consent", { profile: { writes: false } }, ["writes"]],
    [
      "consent lacks an organization",
      { profile: { organizations: {} } },
      ["organizations.primary"],
    ],
  ])(
    "cases that need a write are not provisioned, and the verdict is incomplete: %s",
    async (...row) => {
      const [, options, missing] = row;
      // A receiver that needs no token for a PATCH is not detected, because no PATCH is sent.
      const { finished, results } = await runTiny([refusing(OPERATION_IDS)], {
        behaviour: (call) => (isWrite(call) ? { status: 200, body: {} } : undefined),
        ...options,
      });
      const needing = results.filter(({ operation }) => WRITES.includes(operation as OperationId));
      expect(needing.map((one) => [one.outcome, one.missing])).toEqual([
        ["not-provisioned", missing],
        ["not-provisioned", missing],
      ]);
      expect([finished.verdict, finished.partialBecause]).toEqual(["incomplete", []]);
      expect(exitCode({ ...finished, acceptIncomplete: false })).toBe(3);
      expect(finished.scope.operations).not.toContain("editOrganization");
    },
  );

  test("--read-only leaves these cases out, and the verdict is at best partial", async () => {
    for (const writes of [true, false]) {
      const options = { readOnly: true, profile: { writes } };
      const { finished, outcomes, events } = await runTiny([refusing(OPERATION_IDS)], options);
      expect(Object.keys(outcomes).some((id) => /edit|submit/.test(id))).toBe(false);
      expect(events.find(({ type }) => type === "run-planned")).toMatchObject({
        excluded: [{ reason: "read-only: nothing is sent that could write", cases: 2 }],
      });
      expect(finished).toMatchObject({
        verdict: "partial",
        partialBecause: ["--read-only sends no PATCH and no POST"],
        coverage: { judged: 4, total: 6 },
      });
    }
  });

  test("a case that judges the write of another case needs consent, if that operation is offered", () => {
    const reader = defineRule({
      ...refusing(),
      cases: () => [
        { id: "x@readChange", operation: "readChange", judgesWriteOf: "submitChange" as const },
      ],
    });
    const settled = (profile: Record<string, unknown>) =>
      planRun(referenceTarget(profile), [reader], []).cases[0]?.settled;
    expect(settled({})).toBeUndefined();
    expect(settled({ writes: false })).toEqual({ kind: "not-provisioned", keys: ["writes"] });
    expect(settled({ writes: false, operations: { submitChange: false } })).toEqual({
      kind: "not-applicable",
      reason: phrase`${"submitChange"} is not offered`,
    });
  });
});
