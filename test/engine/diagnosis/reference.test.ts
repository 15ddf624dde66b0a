import { describe, expect, it, test } from "vitest";

import { FAULTS } from "../../../src/reference/index.ts";
import { runAgainstReference } from "../../support/run-against.ts";
import { names } from "./showing.ts";

/** The decisions of a cache depend on earlier requests, and therefore on the seed. */
const recognisable =
  (rule: string) =>
  (fault: (typeof FAULTS)[number]): boolean =>
    fault.rule === rule && !fault.name.endsWith("-remembered");

describe("runs against the reference receiver", () => {
  /** The last of some rules: the less plain. */
  const sample = [
    "receiver.issuer",
    "errors.media-type",
    "pagination.results-info",
    "resources.view",
  ].map((rule) => [rule, FAULTS.findLast(recognisable(rule))?.name ?? ""] as const);

  test.for(sample)("%s: %s is recognised with another seed", async ([rule, fault]) => {
    const { finished } = await runAgainstReference(
      { faults: [fault] },
      { patterns: [rule], seed: 7 },
    );
    expect(names(finished.diagnoses)).toContain(fault);
    expect(finished.diagnoses.length).toBeLessThanOrEqual(3);
  });

  it("names two faults of two rules", async () => {
    const faults = ["audience-by-prefix", "expiry-missing-accepted"];
    const { finished } = await runAgainstReference(
      { faults },
      { patterns: ["receiver.audience", "receiver.expiry"] },
    );
    expect(names(finished.diagnoses)).toEqual(faults);
  });

  it.each([
    ["page-size-zero-accepted", "accepts 0 as `pageSize`"],
    ["page-zero-accepted", "accepts 0 as `page`"],
    [
      "parameters-by-parse-int",
      "accepts a fraction or text that begins with a number as `page` and `pageSize`",
    ],
    ["text-taken-for-default", "accepts text that is no number as `page` and `pageSize`"],
  ])("says of %s which numbers it accepts, and not why", async (fault, behaves) => {
    const { finished } = await runAgainstReference(
      { faults: [fault] },
      { patterns: ["pagination.bounds-rejected"] },
    );
    expect(finished.diagnoses.map((one) => one.behaves)).toEqual([behaves]);
  });

  it("names nothing for a receiver without faults", async () => {
    const { finished } = await runAgainstReference({}, { patterns: ["receiver.audience"] });
    expect(finished.diagnoses).toEqual([]);
  });
});
