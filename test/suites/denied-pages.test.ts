import { expect, test } from "vitest";

import { rulesWith } from "../support/run-against.ts";
import { runCases } from "./support.ts";

const CASES = "pagination.*/denied-*";

test.each([
  ["filtered-after-paging-for-partners", { "pagination.page-length/denied-full": "warn" }],
  [
    "total-counts-what-partners-may-not-see",
    { "pagination.totals/denied-items": "fail", "pagination.partition/denied-pages": "pass" },
  ],
])("the pages of the second subject show %s", async (fault, expected) => {
  const outcomes = await outcomesOn("listOrganizations", { faults: [fault] });
  expect(outcomes).toMatchObject(expected);
});

test.each([
  ["feed-filtered-after-paging-for-partners", { "pagination.page-length/denied-full": "warn" }],
  [
    "feed-total-counts-what-partners-may-not-see",
    { "pagination.totals/denied-items": "fail", "pagination.partition/denied-pages": "pass" },
  ],
])("the feed of the second subject shows %s", async (fault, expected) => {
  const outcomes = await outcomesOn("readChangesFeed", { faults: [fault] });
  expect(outcomes).toMatchObject(expected);
});

test("a feed that shows the second subject a part of the changes holds", async () => {
  const outcomes = await outcomesOn("readChangesFeed", { variants: ["feed-by-subject"] });
  expect(Object.values(outcomes)).toEqual(Array(5).fill("pass"));
});

async function outcomesOn(
  operation: string,
  given: Parameters<typeof runCases>[1],
): Promise<object> {
  const { results } = await runCases(`${CASES}@${operation}`, given);
  return Object.fromEntries(results.map(({ id, outcome }) => [id.split("@")[0], outcome]));
}

test("the list of the second subject takes at most 25 requests, and holds", async () => {
  const { results, exchanges } = await runCases(`${CASES}@listOrganizations`);
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(5).fill("pass"));
  const own = [...exchanges.values()].filter(
    ({ request: { token } }) => token?.mutation?.includes("denied") === true,
  );
  expect(own.length).toBeGreaterThan(5);
  expect(own.length).toBeLessThanOrEqual(25);
});

test.each([
  ["is shown nothing", (): readonly string[] => []],
  ["is shown one organization", (ids: readonly string[]) => ids.slice(0, 1)],
])("where the second subject %s, nothing is incomplete for it", async (_what, shown) => {
  const { results } = await runCases(CASES, {
    patches: [
      {
        visibleOrganizations: (original) => (call) =>
          call.claims["sub"] === "svc-partner" ? shown(original(call)) : original(call),
      },
    ],
  });
  expect(rulesWith(results, "fail", "warn", "inconclusive")).toEqual([]);
  expect(results.map(({ outcome }) => outcome)).toContain("not-applicable");
});
