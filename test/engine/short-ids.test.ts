import { expect, test } from "vitest";

import { planRun } from "../../src/engine/plan.ts";
import { shortId, wholeId } from "../../src/engine/short-ids.ts";
import { rule as shape } from "../../suites/errors/shape.ts";
import { rule as audience } from "../../suites/receiver/audience.ts";
import { referenceTarget } from "../support/target.ts";

function selected(pattern: string): string[] {
  const { cases } = planRun(referenceTarget(), [audience, shape], [pattern]);
  return cases.map(({ caseId }) => caseId);
}

test.each([
  ["receiver.audience/other@viewOrganization", "audience/other@viewOrganization"],
  ["receiver.audience", "audience"],
  ["errors.shape/seen", "errors.shape/seen"],
])("%s may be written as %s", (whole, short) => {
  expect(shortId(whole)).toBe(short);
  expect(wholeId(short)).toBe(whole);
  expect(wholeId(whole)).toBe(whole);
});

test.each([
  ["receiver.audience", "audience"],
  ["receiver.audience/other@*", "audience/other@*"],
])("a pattern selects the same as %s and as %s", (whole, short) => {
  expect(selected(short)).not.toEqual([]);
  expect(selected(short)).toEqual(selected(whole));
});
