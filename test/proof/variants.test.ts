import { describe, expect, test } from "vitest";

import { VARIANTS } from "../../src/reference/index.ts";
import { runAgainstReference, unsettled } from "../support/run-against.ts";

describe("a freedom of the contract, used, is no fault", () => {
  test("the reference receiver as it is", async () => {
    const { results, finished } = await runAgainstReference();
    expect(unsettled(results)).toEqual([]);
    expect(finished.verdict).toBe("conformant");
  });

  test.for(VARIANTS.map(({ name }) => name))("%s", async (name) => {
    const { results, finished } = await runAgainstReference({ variants: [name] });
    expect(results.filter(({ outcome }) => outcome === "fail")).toEqual([]);
    expect(finished.verdict, unsettled(results).join("\n")).toBe("conformant");
  });
});
