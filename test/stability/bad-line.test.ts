import { expect, test } from "vitest";

import { startReference } from "../../src/reference/index.ts";
import {
  BUNDLED_JWKS,
  type Ran,
  runAgainst,
  rulesWith,
  unsettled,
} from "../support/run-against.ts";
import { badLine } from "./bad-line.ts";

/** A run against the reference receiver, over a bad line where there is a seed for one. */
async function certify(
  faults: readonly string[],
  seed?: number,
): Promise<Ran & { troubled: number }> {
  const reference = await startReference({ jwks: BUNDLED_JWKS, faults });
  const { origin, pathname } = new URL(reference.baseUrl);
  const line = seed === undefined ? undefined : await badLine(origin, seed);
  try {
    const ran = await runAgainst({
      ...reference.profile,
      audience: reference.baseUrl,
      ...(line && { baseUrl: line.origin + pathname }),
    });
    return { ...ran, troubled: line?.troubled ?? 0 };
  } finally {
    await line?.close();
    await reference.close();
  }
}

test.each([1, 2, 3])("a bad line makes no fault of a receiver that has none (%i)", async (seed) => {
  const { results, finished, troubled } = await certify([], seed);
  expect(troubled).toBeGreaterThan(50);
  expect(rulesWith(results, "fail", "warn")).toEqual([]);
  expect([finished.suiteErrors, finished.setup]).toEqual([[], []]);
  // Most of it is judged all the same.
  const open = results.filter(({ outcome }) => outcome === "inconclusive");
  expect(open.length, unsettled(results).join("\n")).toBeLessThan(results.length / 4);
});
