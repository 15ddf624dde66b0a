import { expect, test } from "vitest";

import { FAULTS, startReference } from "../../src/reference/index.ts";
import { BUNDLED_JWKS, type Ran, runAgainst, rulesWith } from "../support/run-against.ts";
import { badLine } from "./bad-line.ts";

/** A run against the reference receiver, over a line on which one request in five meets trouble. */
async function certify(seed: number, faults: readonly string[] = []): Promise<Ran> {
  const reference = await startReference({ jwks: BUNDLED_JWKS, faults });
  const { origin, pathname } = new URL(reference.baseUrl);
  const line = await badLine(origin, seed);
  try {
    const ran = await runAgainst({
      ...reference.profile,
      audience: reference.baseUrl,
      baseUrl: line.origin + pathname,
    });
    expect(line.troubled).toBeGreaterThan(ran.finished.requests / 8);
    expect(ran.finished.suiteErrors).toEqual([]);
    return ran;
  } finally {
    await line.close();
    await reference.close();
  }
}

test.each([1, 2])(
  "a bad line makes no fault where there is none (%i)",
  { timeout: 60_000 },
  async (seed) => {
    const { results, finished } = await certify(seed);
    expect(rulesWith(results, "fail", "warn")).toEqual([]);
    expect(finished.setup).toEqual([]);
    // Most of it is judged all the same.
    const open = results.filter(({ outcome }) => outcome === "inconclusive");
    expect(open.length).toBeLessThan(results.length / 10);
  },
);

test(
  "a bad line makes no other fault of one that is there, and does not hide it",
  { timeout: 60_000 },
  async () => {
    const fault = FAULTS.find(({ rule }) => rule === "receiver.expiry");
    const { results } = await certify(3, [fault?.name ?? ""]);
    expect(rulesWith(results, "fail", "warn")).toEqual(["receiver.expiry"]);
  },
);
