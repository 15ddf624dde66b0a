import { expect, test } from "vitest";

import type { Reply } from "../../src/http/exchange.ts";
import { createOutages } from "../../src/http/persistence/outage.ts";

const reset = (from: number, to: number): Reply => reply(0, from, to, "reset");
const unreachable = reply(0, 30, 31, "unreachable");

test.each([
  ["was sent before", 5, true],
  ["was sent after", 25, false],
])(
  "a case that was cut off beside a request with a response that %s",
  async (_what, from, suspect) => {
    const outages = createOutages(async () => {});
    outages.note("rule/deadly", reset(10, 20));
    outages.note("rule/other", reply(200, from, from + 1));
    outages.note("rule/later", unreachable);
    await outages.outlast(unreachable, () => Promise.resolve(reply(200, 40, 41)));
    expect(outages.isSuspect("rule/deadly")).toBe(suspect);
  },
);

test("a case that was cut off stays suspect where the deployment answers again before anybody has waited for it", () => {
  const outages = createOutages(async () => {});
  outages.note("rule/deadly", reset(10, 20));
  outages.note("rule/later", unreachable);
  outages.note("rule/other", reply(200, 40, 41));
  expect(outages.isSuspect("rule/deadly")).toBe(true);
});

test("cases that were cut off at once are sent alone, and not again once one is lost alone too", async () => {
  const outages = createOutages(async () => {});
  const answered = reply(200, 40, 41);
  outages.note("rule/deadly", reset(10, 20));
  expect(outages.isSuspect("rule/deadly")).toBe(false);
  outages.note("rule/other", reset(12, 21));
  outages.note("rule/later", reset(22, 23));
  const names = ["rule/deadly", "rule/other", "rule/later"];
  expect(names.map((name) => outages.isSuspect(name))).toEqual([true, true, false]);
  for (const [name, sent] of [
    ["rule/deadly", reset(30, 31)],
    ["rule/other", answered],
  ] as const) {
    expect(await outages.judgeLone(name, sent, () => Promise.resolve(answered))).toBe(sent);
  }
  expect(names.map((name) => outages.isLostAlone(name))).toEqual([true, false, false]);
  expect(outages.crashes).toEqual([]);
});

function reply(status: number, from: number, to: number, kind?: string): Reply {
  const exchange = kind === undefined ? {} : { fault: { kind, message: "" } };
  return { status, exchange, underWay: { from, to } } as unknown as Reply;
}
