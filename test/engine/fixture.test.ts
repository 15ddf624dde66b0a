import { expect, test } from "vitest";

import { endCase, type Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Fixture } from "../../src/probe/probe.ts";
import type { Rule } from "../../src/probe/rule.ts";
import { BAD, refusal, runTiny, tinyRule } from "./tiny.ts";

const ACCEPTED = { status: 200, body: {} };

/** Two cases that share a fixture. */
function ruleUsing(setup: Fixture<Finding>["setup"]): Rule {
  return tinyRule({
    id: "tiny.sharing",
    title: "What is bad is refused, found out once",
    level: "MUST",
    cases: () => ["first", "second"].map((id) => ({ id, operation: "viewOrganization" })),
    judge: (probe) => probe.use({ name: "bad", scope: "rule", setup }),
  });
}

/** One bad request is sent for both. */
const sharing = ruleUsing((probe) => probe.rejects(BAD));

test("a fixture that several cases share is set up once", async () => {
  const { outcomes, calls } = await runTiny([sharing]);
  expect(outcomes).toEqual({ "tiny.sharing/first": "pass", "tiny.sharing/second": "pass" });
  expect(calls.filter(({ isBad }) => isBad)).toHaveLength(1);
});

test("a fixture that ends its case is set up once and ends every case that uses it", async () => {
  const ending = ruleUsing(async (probe) => {
    const { evidence } = await probe.attempt(BAD);
    return endCase({ kind: "inconclusive", reason: phrase`it shows nothing`, evidence });
  });
  const { results, calls } = await runTiny([ending]);
  // An inconclusive case is repeated once; the fixture is known by then.
  expect(calls.filter(({ isBad }) => isBad)).toHaveLength(1);
  const [first, second] = results;
  expect(first).toMatchObject({ outcome: "inconclusive", reason: "it shows nothing" });
  expect(second?.evidence).toEqual(first?.evidence);
  expect(first?.evidence?.controls).not.toHaveLength(0);
});

test("every case that uses a fixture depends on the fixture's control", async () => {
  const { outcomes } = await runTiny([sharing], {
    behaviour: ({ isControl, ofCase }) => (isControl && ofCase > 1 ? refusal(401) : undefined),
  });
  expect(outcomes).toEqual({
    "tiny.sharing/first": "inconclusive",
    "tiny.sharing/second": "inconclusive",
  });
});

test("every case that is confirmed sets up the fixture again", async () => {
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
