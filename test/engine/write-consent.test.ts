import { describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS } from "../../src/contract/operations.ts";
import { exitCode } from "../../src/engine/judge.ts";
import { planRun } from "../../src/engine/plan.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { referenceTarget } from "../support/target.ts";
import { BAD, isWrite, refusing, runTiny, tinyRule } from "./tiny.ts";

describe("when writes are not allowed", () => {
  const rules = [
    refusing(OPERATION_IDS),
    // Its operation does not write, but this rule does.
    refusing(["listOrganizations"], {
      id: "tiny.sly",
      judge: (probe) => probe.rejects({ ...BAD, request: (spec) => ({ ...spec, method: "POST" }) }),
    }),
    refusing(["viewOrganization"], {
      id: "tiny.elsewhere",
      judge: (probe) => probe.rejects(BAD, { operation: "editOrganization" }),
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
      const needing = results.filter(({ operation }) => operation && OPERATIONS[operation].writes);
      expect(needing.map((one) => [one.outcome, one.missing])).toEqual([
        ["not-provisioned", missing],
        ["not-provisioned", missing],
      ]);
      expect([finished.verdict, finished.partialBecause]).toEqual(["incomplete", []]);
      expect(exitCode(finished)).toBe(3);
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
    const reader = refusing(undefined, {
      cases: () => [
        { id: "x@readChange", operation: "readChange", writes: { of: "submitChange" as const } },
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

  test("--read-only leaves out a case that writes, whatever its operation", async () => {
    const rule = tinyRule({
      id: "tiny.writing",
      title: "What writes on the way",
      level: "MUST",
      cases: () => [
        { id: "writes", operation: "viewOrganization", writes: "alone" },
        { id: "reads", operation: "viewOrganization" },
      ],
      judge: async () => ({ kind: "pass" }),
    });
    const { outcomes } = await runTiny([rule], { readOnly: true });
    expect(outcomes).toEqual({ "tiny.writing/reads": "pass" });
  });
});

test("cases that write on the way go one after another, whatever their operation", async () => {
  let underWay = 0;
  const sideBySide: number[] = [];
  const rule = tinyRule({
    id: "tiny.writing",
    title: "What writes on the way",
    level: "MUST",
    cases: () =>
      ["a", "b", "c"].map((id) => ({ id, operation: "viewOrganization", writes: "alone" })),
    async judge(probe) {
      sideBySide.push((underWay += 1));
      const finding = await probe.rejects(BAD);
      underWay -= 1;
      return finding;
    },
  });
  const { outcomes } = await runTiny([rule]);
  expect(Object.values(outcomes)).toEqual(["pass", "pass", "pass"]);
  expect(sideBySide).toEqual([1, 1, 1]);
});
