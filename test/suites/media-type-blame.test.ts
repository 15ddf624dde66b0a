import { expect, test } from "vitest";

import { rulesWith } from "../support/run-against.ts";
import { runCases } from "./support.ts";

test("a guard that passes everything for a spelling of the media type is blamed on one rule", async () => {
  const { results } = await runCases("receiver.*/*-{media-type,charset}@*", {
    faults: ["quoted-charset-unguarded"],
  });
  expect(rulesWith(results, "fail")).toEqual(["receiver.token-required"]);
  expect(rulesWith(results, "inconclusive")).toContain("receiver.signature");
});
