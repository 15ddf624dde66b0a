import { expect, test } from "vitest";

import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { BAD, refusal, runTiny } from "./tiny.ts";

const ACCEPTED = { status: 200, body: {} };

/** Two cases for which one bad request is sent. */
const sharing: Rule = defineRule({
  id: "tiny.sharing",
  title: "What is bad is refused, found out once",
  level: "MUST",
  cases: () => ["first", "second"].map((id) => ({ id, operation: "viewOrganization" })),
  probe: (probe) => probe.once("bad", (shared) => shared.rejects(BAD)),
});

test("what cases find out together is asked for once", async () => {
  const { outcomes, calls } = await runTiny([sharing]);
  expect(outcomes).toEqual({ "tiny.sharing/first": "pass", "tiny.sharing/second": "pass" });
  expect(calls.filter(({ isBad }) => isBad)).toHaveLength(1);
});

test("all of them lean on the control that it leaned on", async () => {
  const { outcomes } = await runTiny([sharing], {
    behaviour: ({ isControl, ofCase }) => (isControl && ofCase > 1 ? refusal(401) : undefined),
  });
  expect(outcomes).toEqual({
    "tiny.sharing/first": "inconclusive",
    "tiny.sharing/second": "inconclusive",
  });
});

test("each that confirms it asks anew", async () => {
  let bad = 0;
  const { outcomes, results } = await runTiny([sharing], {
    behaviour: ({ isBad }) => {
      if (!isBad) return undefined;
      bad += 1;
      return bad === 1 ? ACCEPTED : undefined;
    },
  });
  expect(outcomes).toEqual({
    "tiny.sharing/first": "fail",
    "tiny.sharing/second": "fail",
  });
  expect(results.map(({ flaky }) => flaky)).toEqual([true, true]);
});
