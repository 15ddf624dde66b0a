import { expect, test } from "vitest";

import type { RuleCase } from "../../src/probe/rule-case.ts";
import type { Rule } from "../../src/probe/rule.ts";
import { refusing, runTiny } from "./tiny.ts";
import { FORGED, REPLAY, type ToyFaults, toyServer, toySide } from "./toy-side.ts";

const RULES = [refusing(), FORGED, REPLAY];
const REFUSED = "tiny.refusing/bad@viewOrganization";

/** Runs a rule of the receiver and two of the toy side together. */
async function runBoth(faults: ToyFaults, options: Parameters<typeof runTiny>[1] = {}) {
  const toy = await toyServer(faults);
  const ran = await runTiny(RULES, { sides: [toySide(toy)], ...options });
  return { toy, ...ran };
}

test("each side is judged by its own probe, on its own origin", async () => {
  const { toy, outcomes, finished, exchanges, calls } = await runBoth({});
  expect(outcomes).toEqual({
    [REFUSED]: "pass",
    "authorization-server.forged/door": "pass",
    "authorization-server.replay/door": "pass",
  });
  expect(finished.scope.sides).toEqual(["receiver", "authorization-server"]);
  expect(finished.requests).toBe(exchanges.length);
  expect(toy.heard.length + calls.length).toBeLessThanOrEqual(exchanges.length);
});

test("no header, token or secret of one origin is sent to the other", async () => {
  const { toy, exchanges } = await runBoth(
    {},
    { profile: { request: { headers: { "X-Api-Key": "a-gateways-key" } } } },
  );
  for (const headers of toy.heard) {
    expect(Object.keys(headers)).toContain("x-toy");
    expect(Object.keys(headers)).not.toContain("x-api-key");
    expect(Object.keys(headers)).not.toContain("authorization");
  }
  const elsewhere = exchanges.filter(({ request }) => !request.url.startsWith(toy.origin));
  expect(elsewhere.length).toBeGreaterThan(0);
  for (const { request } of elsewhere) {
    expect(request.headers.map(([name]) => name)).not.toContain("x-toy");
  }
  const recorded = JSON.stringify(exchanges);
  expect(recorded).not.toContain("toy-secret");
  expect(recorded).not.toContain("a-gateways-key");
});

test("a fault of one side is blamed once, on a rule of that side", async () => {
  expect((await runBoth({ reusable: true })).outcomes).toEqual({
    [REFUSED]: "pass",
    "authorization-server.forged/door": "pass",
    "authorization-server.replay/door": "fail",
  });
  const { results } = await runBoth({ open: true });
  expect(results.map(({ outcome, blamedOn }) => [outcome, blamedOn])).toEqual([
    ["pass", undefined],
    ["fail", undefined],
    ["inconclusive", "authorization-server.forged"],
  ]);
});

test("a refusal is inconclusive if the control is refused afterwards", async () => {
  const { results } = await runBoth({ shutsAfter: 2 });
  const ofToy = results.filter(({ rule }) => rule.startsWith("authorization-server."));
  expect(ofToy.map(({ outcome }) => outcome)).toEqual(["inconclusive", "inconclusive"]);
  expect(ofToy[0]?.reason).toContain("the control on the door, accepted before, was not accepted");
});

test("a receiver that accepts nobody does not prevent judging the other side", async () => {
  const { outcomes } = await runBoth({}, { behaviour: () => ({ status: 401 }) });
  expect(outcomes).toEqual({
    [REFUSED]: "inconclusive",
    "authorization-server.forged/door": "pass",
    "authorization-server.replay/door": "pass",
  });
});

test("a sequential side also runs cases that write one at a time", async () => {
  let underWay = 0;
  let most = 0;
  const stepping = (id: string, more: Partial<RuleCase> = {}): Rule => ({
    ...FORGED,
    id: `authorization-server.${id}`,
    cases: (target) =>
      FORGED.cases(target).map((one) => ({
        ...one,
        ...more,
        async judge(probe) {
          most = Math.max(most, ++underWay);
          const finding = await one.judge(probe);
          underWay -= 1;
          return finding;
        },
      })),
  });
  const toy = await toyServer();
  const { outcomes } = await runTiny([stepping("reads"), stepping("writes", { writes: "alone" })], {
    sides: [toySide(toy)],
  });
  expect(Object.values(outcomes)).toEqual(["pass", "pass"]);
  expect(most).toBe(1);
});
