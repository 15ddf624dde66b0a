import { expect, test } from "vitest";

import { isBound } from "../../src/reference/checks.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.issuer/untrusted-otherwise-bound@*"];

test("a check that one write forgets for unbound tokens fails there", async () => {
  const forgotten: Patch = {
    checkIssuer: (original) => (call) =>
      call.operation === "submitChange" && !isBound(call) ? undefined : original(call),
  };
  const { results } = await runCases(patterns, { patches: [forgotten] });
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["receiver.issuer/untrusted-otherwise-bound@editOrganization", "pass"],
    ["receiver.issuer/untrusted-otherwise-bound@submitChange", "fail"],
  ]);
});

test("does not apply to a receiver that takes bound tokens alone", async () => {
  const { results } = await runCases(patterns, { variants: ["unbound-refused"] });
  expect(results.map(({ outcome }) => outcome)).toEqual(["not-applicable", "not-applicable"]);
});
