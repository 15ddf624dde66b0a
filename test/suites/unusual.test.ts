import { expect, test } from "vitest";

import type { Patch } from "../../src/reference/steps.ts";
import { runAgainstReference } from "../support/run-against.ts";

test("the second subject is tried although another unusual part is refused", async () => {
  const forgotten: Patch = {
    step: "checkExpiry",
    patch: (original) => (call) =>
      call.claims["sub"] === "svc-partner" ? undefined : original(call),
  };
  const { results } = await runAgainstReference(
    { faults: ["scheme-case-sensitive"], patches: [forgotten] },
    { patterns: ["receiver.expiry/hour-ago-unusual@*"] },
  );
  expect(results.map(({ outcome, actual }) => [outcome, actual])).toEqual([
    ["fail", "200 OK, already if `sub` is the second subject, `denied.subject` of the profile"],
  ]);
});
