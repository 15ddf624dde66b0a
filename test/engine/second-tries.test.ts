import { expect, onTestFinished, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { type Reason, SECOND_TRIES, type SecondTry } from "../../src/http/second-tries.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { createWriteLimit } from "../../src/probe/write/writes.ts";
import { accepting, BAD, type Behaviour, type Call, refusal, refusing, runTiny } from "./tiny.ts";

/** Changes a row of the table until the test has ended. */
function withRow(reason: Reason, change: Partial<SecondTry>): void {
  const row = SECOND_TRIES[reason];
  const before = { ...row };
  Object.assign(row, change);
  onTestFinished(() => {
    for (const key of Object.keys(change)) Reflect.deleteProperty(row, key);
    Object.assign(row, before);
  });
}

const accepts: Behaviour = ({ isBad }) => (isBad ? { status: 200, body: {} } : undefined);
const isProbe = ({ isBad }: Call): boolean => isBad;

test.each([
  [0, 1],
  [1, 2],
])("with %i tries of a violation, its case sends %i requests", async (times, sent) => {
  withRow("violation", { times });
  const { calls } = await runTiny([refusing()], { behaviour: accepts });
  expect(calls.filter(isProbe)).toHaveLength(sent);
});

test.each([0, 1, 3])("controls are sent again after their cases %i times", async (times) => {
  withRow("afterCases", { times });
  const { outcomes, calls } = await runTiny([refusing()]);
  expect(Object.values(outcomes)).toEqual(["pass"]);
  const last = calls.findLastIndex(isProbe);
  expect(calls.slice(last + 1).filter(({ isControl }) => isControl)).toHaveLength(times);
});

test.each([
  [0, "fail"],
  [1, "inconclusive"],
  [2, "inconclusive"],
])("a violation is checked at once %i times, and then is %s", async (times, outcome) => {
  withRow("atOnce", { times });
  withRow("trouble", { times: 0 });
  withRow("violation", { times: 0 });
  withRow("undecided", { times: 0 });
  // From the probe on, the third request, everything is refused until its controls were sent at once.
  const { results } = await runTiny([accepting()], {
    behaviour: ({ number, isControl }) =>
      number === 3 || (number === 3 + times && isControl) ? refusal(403) : undefined,
  });
  expect(results[0]?.outcome).toBe(outcome);
});

test.each([0, 1, 2])("a case that proves nothing is tried again %i times", async (times) => {
  withRow("undecided", { times });
  withRow("trouble", { times: 0 });
  const rule = refusing(undefined, {
    async judge(probe) {
      const { evidence } = await probe.attempt(BAD);
      return { kind: "inconclusive", reason: phrase`nothing`, evidence };
    },
  });
  const { calls } = await runTiny([rule]);
  expect(calls.filter(isProbe)).toHaveLength(1 + times);
});

test.each([
  [0, [401, 409]],
  [1, [401, 401]],
])("with %i tries of a write that conflicts, the answers are %j", async (times, statuses) => {
  withRow("conflict", { times });
  let underWay = 0;
  const waits: number[] = [];
  const limit = createWriteLimit({ wait: (ms) => Promise.resolve(waits.push(ms)) });
  const write = (rule: string): Promise<Reply | undefined> =>
    limit.run(
      OPERATIONS.editOrganization,
      { purpose: "unwanted", rule, level: "MUST" },
      async () => {
        underWay += 1;
        const beside = underWay > 1;
        await new Promise((done) => setImmediate(done));
        underWay -= 1;
        return { status: beside ? 409 : 401, headers: {}, exchange: {} } as unknown as Reply;
      },
    );
  const replies = await Promise.all(["one", "two"].map(write));
  const seen = replies.map((reply) => reply?.status ?? 0);
  expect(seen.toSorted((a, b) => a - b)).toEqual(statuses);
});

test("a write that conflicts is sent again as its row says", async () => {
  withRow("conflict", { how: ["same", "own connection"], waits: { firstMs: 70 } });
  const hows: unknown[] = [];
  const waits: number[] = [];
  const limit = createWriteLimit({ wait: (ms) => Promise.resolve(waits.push(ms)) });
  const write = (rule: string): Promise<Reply | undefined> =>
    limit.run(
      OPERATIONS.editOrganization,
      { purpose: "unwanted", rule, level: "MUST" },
      async (how) => {
        hows.push(how);
        await new Promise((done) => setImmediate(done));
        return { status: how ? 401 : 409, headers: {}, exchange: {} } as unknown as Reply;
      },
    );
  await Promise.all(["one", "two"].map(write));
  expect(hows).toEqual([undefined, undefined, ...[1, 2].map(() => ["same", "own connection"])]);
  expect(waits).toEqual([70, 70]);
});
