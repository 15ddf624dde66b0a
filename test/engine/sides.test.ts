import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import type { SideOpener, SideRun } from "../../src/engine/side.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { runAgainstReference } from "../support/run-against.ts";
import { refusing, runTiny } from "./tiny.ts";

const REFUSED = "tiny.refusing/bad@viewOrganization";
const PASS: Finding = { kind: "pass", evidence: { probes: ["x1"], controls: ["c1"] } };
const VIOLATED: Finding = { ...PASS, kind: "fail", expected: phrase`shut`, actual: phrase`open` };

/** A side that sends nothing: its rules say what they saw at a door, which lets good guests in again or not. */
function doorSide(again: Awaited<ReturnType<SideRun["repeat"]>> = { exchange: "c2" }): SideOpener {
  const run: SideRun<string> = {
    side: "authorization-server",
    sequential: true,
    createProbe: () => ({ probe: {}, used: new Set(["the door"]) }),
    nameOf: String,
    repeat: () => Promise.resolve(again),
  };
  return () => ({ run, requests: 0, unwaited: 0, close: () => Promise.resolve() });
}

/** A rule of that side, which is judged so. */
function doorRule(
  id: string,
  judge: () => Finding | Promise<Finding>,
  more: Partial<Rule> = {},
  writes?: RuleCase["writes"],
): Rule {
  return defineRule({
    id: `authorization-server.${id}`,
    title: "The door stays shut",
    level: "MUST",
    side: "authorization-server",
    cases: () => [
      { id: "door", endpoint: "door", client: "guest", writes, judge: async () => judge() },
    ],
    ...more,
  });
}

const dependent = doorRule("replay", () => VIOLATED, {
  dependsOn: ["authorization-server.forged"],
});

test("a fault of one side is blamed once, on a rule of that side", async () => {
  const rules = [refusing(), doorRule("forged", () => VIOLATED), dependent];
  const { results, finished } = await runTiny(rules, { sides: [doorSide()] });
  expect(results.map(({ outcome, blamedOn }) => [outcome, blamedOn])).toEqual([
    ["pass", undefined],
    ["fail", undefined],
    ["inconclusive", "authorization-server.forged"],
  ]);
  expect(finished.scope.sides).toEqual(["receiver", "authorization-server"]);
});

test("a refusal is inconclusive if the control is refused afterwards", async () => {
  const sides = [doorSide({ refused: "the status 302" })];
  const { results } = await runTiny([refusing(), doorRule("forged", () => PASS)], { sides });
  expect(results.map(({ outcome }) => outcome)).toEqual(["pass", "inconclusive"]);
  expect(results[1]?.reason).toContain(
    "the control on the door, accepted before, was not accepted",
  );
});

test("a receiver that accepts nobody does not prevent judging the other side", async () => {
  const { outcomes } = await runTiny([refusing(), doorRule("forged", () => PASS)], {
    sides: [doorSide()],
    behaviour: () => ({ status: 401 }),
  });
  expect(outcomes).toEqual({
    [REFUSED]: "inconclusive",
    "authorization-server.forged/door": "pass",
  });
});

test("a sequential side also runs cases that write one at a time", async () => {
  let underWay = 0;
  let most = 0;
  const step = async (): Promise<Finding> => {
    most = Math.max(most, ++underWay);
    // A case that does not wait for this one begins in the meantime.
    for (let turn = 0; turn < 200; turn++) await setImmediate();
    underWay -= 1;
    return PASS;
  };
  const rules = [doorRule("reads", step), doorRule("writes", step, {}, "alone")];
  const { outcomes } = await runTiny(rules, { sides: [doorSide()] });
  expect(Object.values(outcomes)).toEqual(["pass", "pass"]);
  expect(most).toBe(1);
});

test("the headers and tokens for the receiver are not sent to the authorization server", async () => {
  const { exchanges, results } = await runAgainstReference(
    { authorizationServer: true },
    {
      patterns: [
        "receiver.token-required/missing@viewOrganization",
        "authorization-server.metadata",
      ],
      profile: { request: { headers: { "X-Tenant": "blue" } } },
    },
  );
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["pass"]));
  const sent = [...exchanges.values()];
  const receiver = sent.find(({ caseId }) => caseId.startsWith("control/"));
  const { origin } = new URL(receiver?.request.url ?? "");
  const told = sent.map(({ request: { url, headers } }) => [
    new URL(url).origin === origin,
    headers.some(([name]) => name === "x-tenant"),
  ]);
  expect(told).toContainEqual([false, false]);
  expect(told.filter(([isReceiver, isNamed]) => isReceiver !== isNamed)).toEqual([]);
});
