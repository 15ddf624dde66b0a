import { describe, expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { planRun } from "../../src/engine/plan.ts";
import { UserError } from "../../src/errors.ts";
import { referenceTarget } from "../support/target.ts";
import { accepting, refusing, runTiny } from "./tiny.ts";

const RULES = [refusing(OPERATION_IDS), accepting(["viewOrganization"])];

function selected(...patterns: readonly string[]): string[] {
  return planRun(referenceTarget(), RULES, patterns).cases.map(({ name }) => name);
}

test.each<[readonly string[], number]>([
  [[], 7],
  [["tiny.*"], 7],
  [["*"], 7],
  [["tiny.refusing"], 6],
  [["tiny.refusing/*"], 6],
  [["*/bad@readChange"], 1],
  [["tiny.refusing/bad@{readChange,submitChange}"], 2],
  [["tiny.accepting", "tiny.refusing/*@readChange"], 2],
  [["tiny.accepting", "tiny.*ing"], 7],
])("of %j come %i cases", (patterns, count) => {
  expect(selected(...patterns)).toHaveLength(count);
});

test.each([
  "nonsense",
  "Tiny.refusing",
  "tiny.refusing/",
  "refusing",
  "!tiny.refusing",
  "",
  "tiny.refusing/bad@nowhere",
])("a pattern that matches nothing is the user's to put right: %j", (pattern) => {
  expect(() => selected("tiny.*", pattern)).toThrow(UserError);
  expect(() => selected("tiny.*", pattern)).toThrow(/^--rule .*matches no rule and no case$/);
});

describe("a run of a selection", () => {
  test("is partial, and says of what", async () => {
    const { finished, results, calls } = await runTiny(RULES, { patterns: ["tiny.accepting"] });
    expect(results.map(({ id }) => id)).toEqual(["tiny.accepting/harmless@viewOrganization"]);
    expect(finished.partialBecause).toEqual(["only tiny.accepting was selected"]);
    expect(finished.verdict).toBe("conformant");
    expect(finished.verdictText).toContain(" Partial: only tiny.accepting was selected.");
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(
      new Set(["listOrganizations", "viewOrganization"]),
    );
  });

  test("of everything is not partial", async () => {
    expect((await runTiny(RULES)).finished.partialBecause).toEqual([]);
  });
});

test("what is not offered does not apply, and is not asked for", async () => {
  const { outcomes, calls } = await runTiny([refusing(OPERATION_IDS)], {
    profile: { operations: { editOrganization: false, submitChange: false, readChange: false } },
  });
  expect(outcomes).toMatchObject({
    "tiny.refusing/bad@editOrganization": "not-applicable",
    "tiny.refusing/bad@readChange": "not-applicable",
    "tiny.refusing/bad@viewOrganization": "pass",
  });
  expect(calls.some(({ method, path }) => method !== "GET" || /changes\//.test(path))).toBe(false);
});

test("what the profile lacks is not asked for", async () => {
  const { outcomes, results, calls } = await runTiny([refusing(OPERATION_IDS)], {
    profile: { operations: {} },
  });
  expect(outcomes).toMatchObject({
    "tiny.refusing/bad@editOrganization": "not-provisioned",
    "tiny.refusing/bad@submitChange": "not-provisioned",
  });
  expect(results[2]?.missing).toEqual(["operations.editOrganization.body"]);
  expect(calls.some(({ method }) => method !== "GET")).toBe(false);
});
