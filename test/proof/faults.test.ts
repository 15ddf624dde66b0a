import { describe, expect, test } from "vitest";

import { FAULTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";
import { rulesWith, runAgainstReference } from "../support/run-against.ts";

describe("each fault is caught, and blamed on its own rule alone", () => {
  test.for(FAULTS.map((fault) => [fault.name, fault] as const))("%s", async ([, fault]) => {
    // What the reference receiver does, it does at once.
    const options = { patienceMs: 200 };
    const { results, finished } = await runAgainstReference({ faults: [fault.name] }, options);
    expect(finished.suiteErrors).toEqual([]);
    if (fault.seenAs === "inconclusive") {
      expect(rulesWith(results, "fail", "warn")).toEqual([]);
      expect(rulesWith(results, "inconclusive")).toContain(fault.rule);
      return;
    }
    expect(rulesWith(results, "fail", "warn")).toEqual([fault.rule]);
  });

  test("every rule has a fault that it alone catches", () => {
    const caught = new Set<string>(FAULTS.map(({ rule }) => rule));
    expect(RULES.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });
});
