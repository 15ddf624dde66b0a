import { describe, expect, test } from "vitest";

import type { Level } from "../../src/contract/levels.ts";
import type { Outcome } from "../../src/engine/events.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { BAD, MISSING, refusing, returning, runTiny, VIOLATED } from "./tiny.ts";

const OBSERVED = { kind: "observed", value: phrase`x` } as const;
const INAPPLICABLE = { kind: "not-applicable", reason: phrase`none` } as const;
const UNDECIDED = { kind: "inconclusive", reason: phrase`why` } as const;
const HOLDS = { kind: "pass" } as const;

test.each<[Finding, Record<Level, Outcome>]>([
  [HOLDS, { MUST: "pass", SHOULD: "pass", OBSERVE: "observed" }],
  [VIOLATED, { MUST: "fail", SHOULD: "warn", OBSERVE: "observed" }],
  [
    { ...VIOLATED, atMost: "SHOULD" },
    { MUST: "warn", SHOULD: "warn", OBSERVE: "observed" },
  ],
  [
    { ...VIOLATED, atMost: "OBSERVE" },
    { MUST: "observed", SHOULD: "observed", OBSERVE: "observed" },
  ],
  [UNDECIDED, { MUST: "inconclusive", SHOULD: "inconclusive", OBSERVE: "inconclusive" }],
  [OBSERVED, { MUST: "observed", SHOULD: "observed", OBSERVE: "observed" }],
  [MISSING, { MUST: "not-provisioned", SHOULD: "not-provisioned", OBSERVE: "not-provisioned" }],
  [INAPPLICABLE, { MUST: "not-applicable", SHOULD: "not-applicable", OBSERVE: "not-applicable" }],
])("the finding %j gives the outcomes %j", async (found, expected) => {
  const levels: readonly Level[] = ["MUST", "SHOULD", "OBSERVE"];
  const { results } = await runTiny(levels.map((level) => returning(level, level, found)));
  expect(Object.fromEntries(results.map(({ level, outcome }) => [level, outcome]))).toEqual(
    expected,
  );
});

test("a case is judged at its own level where it has one", async () => {
  const mixed = returning("mixed", "MUST", VIOLATED, {
    cases: () => [{ id: "of-the-rule" }, { id: "advice", level: "SHOULD" }],
  });
  const { outcomes } = await runTiny([mixed]);
  expect(outcomes).toEqual({ "tiny.mixed/of-the-rule": "fail", "tiny.mixed/advice": "warn" });
});

describe("a case that depends on a failed rule", () => {
  const failed = returning("failed", "MUST", VIOLATED);
  const sound = returning("sound", "MUST", HOLDS);

  test.each<[Finding, Outcome]>([
    [HOLDS, "inconclusive"],
    [VIOLATED, "inconclusive"],
    [UNDECIDED, "inconclusive"],
    [OBSERVED, "observed"],
    [MISSING, "not-provisioned"],
    [INAPPLICABLE, "not-applicable"],
  ])("and finds %j is %s", async (found, outcome) => {
    const dependent = returning("dependent", "MUST", found, { dependsOn: ["tiny.failed"] });
    const { results } = await runTiny([failed, dependent]);
    expect(results.map((result) => result.outcome)).toEqual(["fail", outcome]);
  });

  test("is blamed on that rule, whatever else it depends on", async () => {
    const dependent = returning("dependent", "MUST", HOLDS, {
      dependsOn: ["tiny.sound", "tiny.failed"],
    });
    const { results } = await runTiny([sound, failed, dependent]);
    expect(results.map(({ blamedOn }) => blamedOn)).toEqual([undefined, undefined, "tiny.failed"]);
  });

  test("is blamed on that rule alone if the rest of its rule does not depend on it", async () => {
    const dependent = returning("dependent", "MUST", VIOLATED, {
      cases: () => [{ id: "own", dependsOn: ["tiny.failed"] }, { id: "other" }],
    });
    const { results } = await runTiny([failed, dependent]);
    expect(results.map(({ outcome, blamedOn }) => [outcome, blamedOn])).toEqual([
      ["fail", undefined],
      ["inconclusive", "tiny.failed"],
      ["fail", undefined],
    ]);
  });

  test("is judged normally if the other rule was only inconclusive", async () => {
    const open = returning("open", "MUST", UNDECIDED);
    const dependent = returning("dependent", "MUST", HOLDS, { dependsOn: ["tiny.open"] });
    const { results } = await runTiny([open, dependent]);
    expect(results.map(({ outcome }) => outcome)).toEqual(["inconclusive", "pass"]);
  });
});

test("a case with its own title uses that title", async () => {
  const titled = returning("titled", "MUST", HOLDS, {
    cases: () => [{ id: "own", title: "One case of it" }, { id: "plain" }],
  });
  const { results } = await runTiny([titled]);
  expect(results.map(({ title }) => title)).toEqual(["One case of it", "The rule titled"]);
});

test.each<[string, readonly (readonly [string, string])[], Outcome]>([
  ["a probe of the plain route is inconclusive", [], "inconclusive"],
  ["a probe that a gateway may refuse passes", [["x-forwarded-host", "elsewhere"]], "pass"],
])("when a connection is closed after a bad request, %s", async (_what, headers, outcome) => {
  const rule = refusing(["viewOrganization"], {
    judge: (probe) =>
      probe.rejects({
        ...BAD,
        request: (spec) => ({ ...spec, headers: [...spec.headers, ...headers] }),
      }),
  });
  const { results } = await runTiny([rule], {
    behaviour: ({ isBad }) => (isBad ? { status: 0 } : undefined),
  });
  expect(results[0]?.outcome).toBe(outcome);
});

test.each<[number, Outcome]>([
  [403, "pass"],
  [401, "fail"],
  [404, "fail"],
  [200, "fail"],
  [302, "fail"],
  [500, "fail"],
  [503, "inconclusive"],
])("if only 403 is allowed, %i is %s", async (status, outcome) => {
  const exactly = refusing(["viewOrganization"], {
    judge: (probe) => probe.rejects(BAD, { status: 403 }),
  });
  const { results } = await runTiny([exactly], {
    behaviour: ({ isBad }) => (isBad ? { status } : undefined),
  });
  expect(results[0]?.outcome).toBe(outcome);
});

test("what is only observed is seen once, and not confirmed", async () => {
  const findings: Finding[] = [VIOLATED, HOLDS];
  const rule = returning("once", "OBSERVE", HOLDS, {
    judge: async () => findings.shift() ?? HOLDS,
  });
  const { results } = await runTiny([rule]);
  expect([results[0]?.outcome, findings]).toEqual(["observed", [HOLDS]]);
});

test("a confirmation that shows nothing is repeated once, whether or not it sent anything", async () => {
  const findings: Finding[] = [VIOLATED, UNDECIDED, VIOLATED];
  const rule = returning("late", "MUST", HOLDS, {
    judge: async () => findings.shift() ?? HOLDS,
  });
  const { results } = await runTiny([rule]);
  expect([results[0]?.outcome, findings]).toEqual(["fail", []]);
});
