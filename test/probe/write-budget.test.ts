import { describe, expect, test } from "vitest";

import { OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { inWords } from "../../src/probe/phrase.ts";
import {
  type AskedWrite,
  createWriteBudget,
  type WriteGrant,
} from "../../src/probe/write/budget.ts";
import type { WritePurpose } from "../../src/probe/write/purposes.ts";
import type { UnknownPath } from "../../src/probe/write/unknown-path.ts";
import { createWriteLimit, type WriteLimit } from "../../src/probe/write/writes.ts";

function must(purpose: WritePurpose, rule: string): AskedWrite {
  return { purpose, rule, level: "MUST" };
}

function answered(status: number, headers = {}): Reply {
  return { status, headers, exchange: {} } as unknown as Reply;
}

/** An unknown path that is answered with a body, or refused. */
function answering(body: string | undefined): UnknownPath {
  return { look: () => Promise.resolve(), body };
}

const edit = OPERATIONS.editOrganization;

/** An edit that is answered at once, by default as accepted. `undefined` if it is not sent. */
function writeTo(
  limit: WriteLimit,
  asked: AskedWrite,
  reply: Reply = answered(200),
): Promise<Reply | undefined> {
  return limit.run(edit, asked, () => Promise.resolve(reply));
}

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

test("a rule with two accepted writes sends no more, and leaves room for others", async () => {
  const limit = createWriteLimit();
  const first = await Promise.all(
    [1, 2, 3, 4, 5].map(() => writeTo(limit, must("unwanted", "one"))),
  );
  expect(first.filter((reply) => reply !== undefined)).toHaveLength(2);
  expect(await writeTo(limit, must("unwanted", "two"))).toBeDefined();
});

test("after many unwanted accepted writes, the writes that other rules need are still sent", async () => {
  const limit = createWriteLimit();
  for (let n = 0; n < 20; n++) {
    await writeTo(limit, must("unwanted", `rule ${n}`));
    await writeTo(limit, must("confirming", `rule ${n}`));
    await writeTo(limit, must("wanted", `rule ${n}`));
  }
  expect(await writeTo(limit, must("needed", "shared"))).toBeDefined();
  expect(await writeTo(limit, must("control", "control"))).toBeDefined();
  expect(limit.accepted("editOrganization")).toBeLessThan(20);
});

test("what a case only observes is not wrong to accept, and leaves writes for the verdict", async () => {
  const limit = createWriteLimit();
  const observed = Array.from({ length: 20 }, (_, n) =>
    writeTo(limit, { purpose: "unwanted", rule: `rule ${n}`, level: "OBSERVE" }),
  );
  const sent = (await Promise.all(observed)).filter((reply) => reply !== undefined);
  expect(sent).toHaveLength(2);
  expect(await writeTo(limit, must("unwanted", "judged"))).toBeDefined();
  expect(await writeTo(limit, must("late", "judged"))).toBeDefined();
  expect(limit.reached("editOrganization").reason).not.toEqual(
    limit.reached("submitChange").reason,
  );
});

test("writes that a violation below MUST accepted take none from cases of a MUST", async () => {
  const limit = createWriteLimit();
  const sent: boolean[] = [];
  for (let n = 0; n < 4; n++) {
    const reply = await writeTo(limit, { purpose: "unwanted", rule: "lenient", level: "SHOULD" });
    sent.push(reply !== undefined);
  }
  expect(sent).toEqual([true, true, true, false]);
  expect(inWords(limit.reached("editOrganization", "SHOULD").reason)).toContain("is no MUST");
  for (let n = 0; n < 12; n++) expect(await writeTo(limit, must("wanted", `${n}`))).toBeDefined();
  for (const purpose of ["unwanted", "needed", "late", "control"] as const) {
    expect(await writeTo(limit, must(purpose, purpose))).toBeDefined();
  }
  expect(limit.accepted("editOrganization")).toBe(19);
});

test.each([
  [false, 5],
  [true, 3],
])(
  "after eight good edits, with the other organization written: %s, violations below MUST leave the rest",
  async (inOther, most) => {
    const limit = createWriteLimit({ inOther });
    for (let n = 0; n < 8; n++) await writeTo(limit, must("control", "control"));
    const levels = ["SHOULD", "SHOULD", "SHOULD", "OBSERVE", "OBSERVE", "OBSERVE"] as const;
    let sent = 0;
    for (const level of levels) {
      if (await writeTo(limit, { purpose: "unwanted", rule: "lenient", level })) sent += 1;
    }
    expect(sent).toBe(most);
    expect(inWords(limit.reached("editOrganization", "SHOULD").reason)).toContain("is no MUST");
  },
);

test("where none was accepted so far, a write below MUST is sent though little is left", async () => {
  const limit = createWriteLimit({ inOther: true });
  for (let n = 0; n < 14; n++) await writeTo(limit, must("control", "control"));
  const below: AskedWrite = { purpose: "unwanted", rule: "lenient", level: "SHOULD" };
  expect(await writeTo(limit, below)).toBeDefined();
  expect(await writeTo(limit, below)).toBeUndefined();
  expect(await writeTo(limit, must("late", "judged"))).toBeDefined();
});

test("a page that answers a bad write counts as no write, unless good ones get a page too", async () => {
  const limit = createWriteLimit();
  const page = answered(200, { "content-type": "text/html; charset=utf-8" });
  await writeTo(limit, must("control", "control"));
  for (let n = 0; n < 30; n++) {
    expect(await writeTo(limit, must("unwanted", "rule"), page)).toBeDefined();
  }
  expect(limit.accepted("editOrganization")).toBe(1);
  await writeTo(limit, must("control", "control"), page);
  await writeTo(limit, must("unwanted", "rule"), page);
  expect(limit.accepted("editOrganization")).toBe(3);
});

/** How many of the edits of a run count as accepted. */
async function acceptedOf(...edits: readonly (readonly [AskedWrite, Reply])[]): Promise<number> {
  const limit = createWriteLimit();
  for (const [asked, reply] of edits) await writeTo(limit, asked, reply);
  return limit.accepted("editOrganization");
}

describe("a bad write that is not exactly a route, and gets the answer of an unknown path,", () => {
  const stray = { ...answered(200), body: "{}", hasBody: true } as Reply;
  const besideRoutes = { ...must("unwanted", "rule"), unknownPath: answering("{}") };

  test("counts as no write", async () => {
    expect(await acceptedOf([besideRoutes, stray])).toBe(0);
  });

  test("counts if good writes are answered alike", async () => {
    const good = must("control", "control");
    expect(await acceptedOf([good, stray], [besideRoutes, stray])).toBe(2);
  });

  test.each<[string, AskedWrite, Reply]>([
    ["exactly a route", must("unwanted", "rule"), stray],
    ["answered otherwise", besideRoutes, { ...stray, body: "[]" }],
    ["answered without a body", { ...besideRoutes, unknownPath: answering("") }, answered(204)],
    [
      "beside a refused unknown path",
      { ...besideRoutes, unknownPath: answering(undefined) },
      stray,
    ],
  ])("counts if it is %s", async (_what, asked, reply) => {
    expect(await acceptedOf([asked, reply])).toBe(1);
  });
});

describe("a bad write that is not exactly a route, such as a PATCH that a header turns into a GET,", () => {
  const good = { ...must("control", "control"), unique: "first" };
  const goodAnswer = { ...answered(200), body: '{"name":"first"}', hasBody: true } as Reply;
  const beside = {
    ...must("unwanted", "rule"),
    unknownPath: answering(undefined),
    unique: "second",
  };

  test.each<[string, Reply]>([
    ["does not show what it wrote, as good writes do", { ...goodAnswer, body: '{"name":"third"}' }],
    [
      "has another status than good writes",
      { ...goodAnswer, status: 204, body: "", hasBody: false },
    ],
  ])("counts as no write if its answer %s", async (_what, reply) => {
    expect(await acceptedOf([good, goodAnswer], [beside, reply])).toBe(1);
  });

  test.each<[string, AskedWrite, Reply, Reply]>([
    ["shows what it wrote", beside, goodAnswer, { ...goodAnswer, body: '{"name":"second"}' }],
    [
      "is to a route",
      { ...beside, unknownPath: undefined },
      goodAnswer,
      { ...goodAnswer, body: "{}" },
    ],
    [
      "is like good ones that show nothing",
      beside,
      { ...goodAnswer, body: "{}" },
      { ...goodAnswer, body: "[]" },
    ],
  ])("counts if its answer %s", async (_what, asked, toGood, reply) => {
    expect(await acceptedOf([good, toGood], [asked, reply])).toBe(2);
  });
});

test("cases that are not sent after bad writes beside the routes name that reason", () => {
  const budget = createWriteBudget();
  budget.note({ ...must("unwanted", "rule"), unknownPath: answering(undefined) }, answered(200));
  expect(inWords(budget.reached().reason)).toContain("not exactly a route");
  budget.note(must("unwanted", "rule"), answered(200));
  expect(inWords(budget.reached().reason)).toContain("requests that it has to refuse");
});

test("where an answer was lost, nobody is told that nothing has to be fixed", () => {
  const budget = createWriteBudget();
  for (let n = 0; n < 7; n++) budget.note(must("unwanted", `rule ${n}`), answered(401));
  for (let n = 0; n < 13; n++) budget.note(must("wanted", "rule"), answered(200));
  expect(inWords(budget.reached().reason)).toContain("Nothing has to be fixed");
  const lost = { ...answered(0), exchange: { fault: { kind: "reset", message: "closed" } } };
  budget.note(must("unwanted", "rule"), lost as Reply);
  expect(inWords(budget.reached().reason)).toContain("answers to writes were lost");
  expect(inWords(budget.reached().reason)).not.toContain("Nothing has to be fixed");
});

describe("writes that must be refused", () => {
  test("are sent in parallel only as long as all of them may be accepted", async () => {
    const limit = createWriteLimit();
    const open: ((reply: Reply) => void)[] = [];
    const grant = limit.beginStage("editOrganization", "MUST");
    const write = (rule: string): Promise<Reply | undefined> =>
      limit.run(
        edit,
        { ...must("unwanted", rule), grant },
        () => new Promise((answer) => open.push(answer)),
      );
    const asked = Array.from({ length: 12 }, (_, n) => write(`rule ${n}`));
    await new Promise((done) => setImmediate(done));
    const atOnce = open.length;
    expect(atOnce).toBeGreaterThan(1);
    expect(atOnce).toBe(grant.atOnce.inAll);
    for (const answer of open.splice(0)) answer(answered(200));
    const replies = await Promise.all(asked);
    // All of these were accepted, so none of the others is sent.
    expect(replies.filter((reply) => reply !== undefined)).toHaveLength(atOnce);
    expect(open).toEqual([]);
    expect(limit.beginStage("editOrganization", "MUST").atOnce.inAll).toBe(0);
  });

  test("are sent in larger stages once many were refused, which the budget allows for too", async () => {
    const limit = createWriteLimit();
    const send = (purpose: WritePurpose, rule: string, status: number, grant?: WriteGrant) =>
      writeTo(limit, { ...must(purpose, rule), grant }, answered(status));
    const stage = async (status: number): Promise<number> => {
      const grant = limit.beginStage("editOrganization", "MUST");
      const { inAll, ofRule } = grant.atOnce;
      const rules = Array.from({ length: inAll }, (_, n) => `rule ${Math.floor(n / ofRule)}`);
      const replies = await Promise.all(rules.map((rule) => send("unwanted", rule, status, grant)));
      expect(replies).not.toContain(undefined);
      return inAll;
    };
    await send("control", "control", 200);
    const first = await stage(401);
    expect(await stage(200)).toBeGreaterThan(first);
    // This stage was accepted, so nothing that should be refused is sent any more.
    expect(limit.beginStage("editOrganization", "MUST").atOnce.inAll).toBeLessThan(1);
    expect(await send("unwanted", "another rule", 200)).toBeUndefined();
    expect(await send("needed", "shared", 200)).toBeDefined();
    for (let n = 0; n < 9; n++) await send("control", "control", 200);
    expect(limit.accepted("editOrganization")).toBeLessThan(20);
  });

  test("carry what their stage may do, so that a later stage changes nothing for them", async () => {
    const limit = createWriteLimit();
    const early = limit.beginStage("editOrganization", "MUST");
    await writeTo(limit, { ...must("unwanted", "one"), grant: early });
    const late = limit.beginStage("editOrganization", "MUST");
    expect(late.atOnce).toEqual({ inAll: 1, ofRule: 1 });
    const { ofRule } = early.mayBeAccepted;
    expect(ofRule).toBeGreaterThan(late.mayBeAccepted.ofRule);
    const sent = async (grant: WriteGrant): Promise<number> => {
      const asked = Array.from({ length: 5 }, () =>
        writeTo(limit, { ...must("unwanted", "one"), grant }),
      );
      return (await Promise.all(asked)).filter((reply) => reply !== undefined).length;
    };
    expect(await sent(late)).toBe(late.mayBeAccepted.ofRule - 1);
    expect(await sent(early)).toBe(ofRule - late.mayBeAccepted.ofRule);
  });

  test("are sent as many of a rule at once when fewer may be accepted, once many were refused", async () => {
    const limit = createWriteLimit();
    const send = (purpose: WritePurpose, status: number) =>
      writeTo(limit, must(purpose, "rule"), answered(status));
    for (let n = 0; n < 10; n++) await send("unwanted", 401);
    const { atOnce: many } = limit.beginStage("editOrganization", "MUST");
    for (let n = 0; n < 10; n++) await send("wanted", 200);
    const { atOnce: few } = limit.beginStage("editOrganization", "MUST");
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
