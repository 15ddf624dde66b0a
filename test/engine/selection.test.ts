import { describe, expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { exitCode } from "../../src/engine/judge.ts";
import { planRun } from "../../src/engine/plan.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import { referenceTarget } from "../support/target.ts";
import { accepting, type Behaviour, refusing, runTiny } from "./tiny.ts";

const RULES = [refusing(OPERATION_IDS), accepting(["viewOrganization"])];

function selected(...patterns: readonly string[]): string[] {
  return planRun(referenceTarget(), RULES, patterns).cases.map(({ caseId }) => caseId);
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
])("%j selects %i cases", (patterns, count) => {
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
])("a pattern that matches nothing is a user error: %j", (pattern) => {
  expect(() => selected("tiny.*", pattern)).toThrow(SuiteError);
  expect(() => selected("tiny.*", pattern)).toThrow(/^--rule .*matches no rule and no case$/);
});

describe("a run of a selection", () => {
  test("is partial, and names the selection", async () => {
    const { finished, results, calls } = await runTiny(RULES, { patterns: ["tiny.accepting"] });
    expect(results.map(({ id }) => id)).toEqual(["tiny.accepting/harmless@viewOrganization"]);
    expect(finished.partialBecause).toEqual(["only tiny.accepting was selected"]);
    expect(finished.verdict).toBe("partial");
    expect(finished.verdictText).toMatch(
      /^Partial\. .* 1 of 7 MUST cases of the contract was judged: only tiny\.accepting was selected\./,
    );
    expect(finished.coverage).toEqual({ judged: 1, total: 7 });
    expect(finished.scope).toEqual({ sides: ["receiver"], operations: ["viewOrganization"] });
    expect(exitCode(finished)).toBe(0);
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(
      new Set(["listOrganizations", "viewOrganization"]),
    );
  });

  test("of everything is not partial", async () => {
    const { finished } = await runTiny(RULES);
    expect([finished.verdict, finished.partialBecause]).toEqual(["conformant", []]);
    expect(finished.coverage).toEqual({ judged: 7, total: 7 });
    expect(finished.scope.operations).toEqual(OPERATION_IDS);
  });

  test("is incomplete or not conformant before it is partial", async () => {
    const patterns = ["tiny.refusing"];
    const verdicts = [503, 200].map(async (status) => {
      const behaviour: Behaviour = ({ isBad }) => (isBad ? { status } : undefined);
      return (await runTiny(RULES, { patterns, behaviour })).finished.verdict;
    });
    expect(await Promise.all(verdicts)).toEqual(["incomplete", "non-conformant"]);
  });
});

test("an operation that is not offered does not apply, gets no request, and makes the verdict partial", async () => {
  const { outcomes, calls, finished } = await runTiny([refusing(OPERATION_IDS)], {
    profile: { operations: { editOrganization: false, submitChange: false, readChange: false } },
  });
  expect(outcomes).toMatchObject({
    "tiny.refusing/bad@editOrganization": "not-applicable",
    "tiny.refusing/bad@readChange": "not-applicable",
    "tiny.refusing/bad@viewOrganization": "pass",
  });
  expect(finished.verdict).toBe("partial");
  expect(finished.partialBecause).toEqual([
    "editOrganization is not offered",
    "submitChange is not offered",
    "readChange is not offered",
  ]);
  expect(finished.coverage).toEqual({ judged: 3, total: 6 });
  expect(calls.some(({ method, path }) => method !== "GET" || /changes\//.test(path))).toBe(false);
});
