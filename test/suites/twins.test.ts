import { expect, test } from "vitest";

import { runAgainstReference } from "../support/run-against.ts";

test("a token with the times of an accepted one is told apart from it", async () => {
  const { results } = await runAgainstReference(
    { faults: ["scope-remembered-by-subject-and-times"] },
    { patterns: ["receiver.*/*-twin@*"] },
  );
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["receiver.scope/all-others-twin@viewOrganization", "fail"],
    ["receiver.binding/no-organization-twin@viewOrganization", "pass"],
  ]);
});
