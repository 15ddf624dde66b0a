import { expect, test } from "vitest";

import type { Check } from "../../src/reference/model.ts";
import { runCases } from "./support.ts";

/** Takes tokens of one subject that were issued in the same second for the same. */
function rememberingTimes(original: Check): Check {
  const accepted = new Set<string>();
  return async (call) => {
    const { sub, iat, exp } = call.claims;
    const key = JSON.stringify([call.operation, sub, iat, exp]);
    if (accepted.has(key)) return;
    await original(call);
    accepted.add(key);
  };
}

test("a token with the times of an accepted one is told apart from it", async () => {
  const { results } = await runCases("receiver.*/*-twin@*", {
    patches: [{ checkScope: rememberingTimes }],
  });
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["receiver.scope/all-others-twin@viewOrganization", "fail"],
    ["receiver.binding/no-organization-twin@viewOrganization", "pass"],
  ]);
});
