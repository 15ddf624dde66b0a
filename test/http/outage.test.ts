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

function reply(status: number, from: number, to: number, kind?: string): Reply {
  const exchange = kind === undefined ? {} : { fault: { kind, message: "" } };
  return { status, exchange, underWay: { from, to } } as unknown as Reply;
}
