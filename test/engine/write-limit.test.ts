import { expect, test } from "vitest";

import type { OperationId } from "../../src/contract/operations.ts";
import type { Rule } from "../../src/probe/rule.ts";
import { BAD, runTiny, tinyRule } from "./tiny.ts";

/** A rule that sends the same bad request in many cases. */
function repeating(operation: OperationId, times: number): Rule {
  return tinyRule({
    id: "tiny.repeating",
    title: "What is bad is refused, time after time",
    level: "MUST",
    cases: () => Array.from({ length: times }, (_, index) => ({ id: `case-${index}`, operation })),
    judge: (probe) => probe.rejects(BAD),
  });
}

test("reads are not limited", async () => {
  const { results } = await runTiny([repeating("viewOrganization", 25)], {
    behaviour: ({ isBad }) => (isBad ? { status: 200, body: {} } : undefined),
  });
  expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 25 }, () => "fail"));
});

test.each([502, 504])("a write that is answered with %i counts as accepted", async (status) => {
  const { calls } = await runTiny([repeating("editOrganization", 25)], {
    behaviour: ({ isBad }) => (isBad ? { status } : undefined),
  });
  expect(calls.filter(({ method }) => method === "PATCH").length).toBeLessThan(20);
});

test("cases that are not sent after lost answers to writes name that reason", async () => {
  const { results } = await runTiny([repeating("editOrganization", 25)], {
    behaviour: ({ isBad }) => (isBad ? { status: 0 } : undefined),
  });
  const unsent = results.filter(({ code }) => code === "write-limit");
  expect(unsent).not.toHaveLength(0);
  for (const { reason } of unsent) expect(reason).toMatch(/or answers to writes were lost/);
});
