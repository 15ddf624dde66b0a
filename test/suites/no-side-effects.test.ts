import { expect, test } from "vitest";

import { runBehind } from "../support/front.ts";
import { runAgainstReference } from "../support/run-against.ts";

const patterns = ["receiver.no-side-effects"];

type Operations = Record<string, Record<string, unknown> | false>;

function outcomesOf(results: readonly { outcome: string }[]): string[] {
  return results.map(({ outcome }) => outcome);
}

test("says whose write was found, and where", async () => {
  const faults = ["edit-before-binding"];
  const { results } = await runAgainstReference({ faults }, { patterns });
  const failed = results.filter(({ outcome }) => outcome === "fail");
  expect(failed).toHaveLength(1);
  expect(failed[0]?.actual).toMatch(/answered 403 Forbidden is in the organization$/);
});

test("a body without ${unique} leaves nothing to look for", async () => {
  const { results } = await runAgainstReference(
    {},
    {
      patterns,
      profile: (profile) => {
        const operations = profile["operations"] as Operations;
        operations["editOrganization"] = { body: { mission: "the same as ever" } };
      },
    },
  );
  expect(outcomesOf(results)).toEqual(["not-provisioned", "pass"]);
  expect(results[0]?.reason).toContain("${unique}");
});

test("where not even accepted writes show, absence proves nothing", async () => {
  const { results } = await runBehind(
    (method) =>
      method === "GET"
        ? { status: 200, headers: { "content-type": "application/json" }, body: "{}" }
        : undefined,
    { patterns, patienceMs: 200 },
  );
  expect(outcomesOf(results)).toEqual(["inconclusive", "inconclusive"]);
});

test("where neither organization nor feed is offered, there is nothing to look in", async () => {
  const { results } = await runAgainstReference(
    {},
    {
      patterns,
      profile: (profile) => {
        const operations = profile["operations"] as Operations;
        operations["viewOrganization"] = false;
        operations["readChangesFeed"] = false;
      },
    },
  );
  expect(outcomesOf(results)).toEqual(["not-applicable", "not-applicable"]);
});
