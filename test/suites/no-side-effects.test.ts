import { expect, test } from "vitest";

import { runBehind } from "../support/front.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.no-side-effects/rejected@*"];

const NOT_FOUND = JSON.stringify({ status: 404, message: "There is no feed.", errors: [] });

function outcomesOf(results: readonly { outcome: string }[]): string[] {
  return results.map(({ outcome }) => outcome);
}

test("names the rejected write that was found, and where", async () => {
  const faults = ["edit-before-binding"];
  const { results } = await runCases(patterns, { faults });
  const failed = results.filter(({ outcome }) => outcome === "fail");
  expect(failed).toHaveLength(1);
  expect(failed[0]?.actual).toMatch(/answered 403 Forbidden is in the organization$/);
});

test("a body without ${unique} cannot be searched for", async () => {
  const { results } = await runCases(patterns, {
    profile: { operations: { editOrganization: { body: { mission: "the same as ever" } } } },
  });
  expect(outcomesOf(results)).toEqual(["not-provisioned", "pass"]);
  expect(results[0]?.reason).toContain("${unique}");
});

test("if not even accepted writes show, the result is inconclusive", async () => {
  const { results } = await runBehind(
    (method) =>
      method === "GET"
        ? { status: 200, headers: { "content-type": "application/json" }, body: "{}" }
        : undefined,
    { patterns, patienceMs: 200 },
  );
  expect(outcomesOf(results)).toEqual(["inconclusive", "inconclusive"]);
});

test("if neither organization nor feed is offered, the rule does not apply", async () => {
  const { results } = await runCases(patterns, {
    profile: { operations: { viewOrganization: false, readChangesFeed: false } },
  });
  expect(outcomesOf(results)).toEqual(["not-applicable", "not-applicable"]);
});

// The organization is read meanwhile, and its answer comes later.
test("a feed that cannot be read makes the result for submissions inconclusive, and ends nothing else", async () => {
  const { results } = await runBehind(
    (method, path) =>
      method === "GET" && /\/changes(?:\?|$)/.test(path)
        ? { status: 404, headers: { "content-type": "application/json" }, body: NOT_FOUND }
        : undefined,
    { patterns, patienceMs: 200 },
  );
  expect(outcomesOf(results)).toEqual(["pass", "inconclusive"]);
});

test("only the rejected writes that had a value to look for are counted", async () => {
  const { results, exchanges } = await runCases([...patterns, "receiver.token-required"]);
  const rejected = [...exchanges.values()].filter(
    ({ caseId, request, response }) =>
      caseId.endsWith("@submitChange") &&
      request.method === "POST" &&
      (response?.status ?? 0) >= 400,
  );
  const valued = rejected.filter(({ request }) => request.body?.includes('"conformance '));
  // A token in a form takes the place of the body.
  expect(valued.length).toBeLessThan(rejected.length);
  const judged = results.find(({ id }) => id === "receiver.no-side-effects/rejected@submitChange");
  expect(judged?.reason).toMatch(new RegExp(`^${valued.length} rejected writes left no trace`));
});
