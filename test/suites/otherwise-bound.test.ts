import { expect, test } from "vitest";

import { isBound } from "../../src/reference/checks.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { runAgainstReference } from "../support/run-against.ts";

const patterns = ["receiver.issuer/untrusted-otherwise-bound@*"];

test("a check that one write forgets for unbound tokens fails there", async () => {
  const forgotten: Patch = {
    checkIssuer: (original) => (call) =>
      call.operation === "submitChange" && !isBound(call) ? undefined : original(call),
  };
  const { results } = await runAgainstReference({ patches: [forgotten] }, { patterns });
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["receiver.issuer/untrusted-otherwise-bound@editOrganization", "pass"],
    ["receiver.issuer/untrusted-otherwise-bound@submitChange", "fail"],
  ]);
});

test("does not apply to a receiver that takes bound tokens alone", async () => {
  const { results } = await runAgainstReference({ variants: ["unbound-refused"] }, { patterns });
  expect(results.map(({ outcome }) => outcome)).toEqual(["not-applicable", "not-applicable"]);
});
