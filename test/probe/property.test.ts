import { describe, expect, test } from "vitest";

import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { forAll, type Values } from "../../suites/pagination/pages/property.ts";
import { worded } from "../support/worded.ts";

const VALUES: Values<number> = {
  edges: [1, 2, 2_147_483_647],
  arbitrary: (fc) => fc.integer({ min: 1, max: 2_147_483_647 }),
  drawn: 5,
};

const violated = (value: number, more: { atMost?: "SHOULD" } = {}): Finding => ({
  kind: "fail",
  expected: phrase`something else`,
  actual: phrase`${String(value)}`,
  ...more,
});

/** Judges with `judge`, and returns the values that it was called with. */
async function tried(
  judge: (value: number) => Finding,
  { seed = 1, confirming = false } = {},
): Promise<{ finding: Finding; values: number[] }> {
  const values: number[] = [];
  const finding = await forAll({ seed, confirming } as Probe, VALUES, async (value) => {
    values.push(value);
    return judge(value);
  });
  return { finding, values };
}

const holding = (value: number): Finding => ({
  kind: "pass",
  evidence: { probes: [`x${value}`], controls: ["c"] },
});

const atMost40 = (value: number): Finding => (value > 40 ? violated(value) : holding(value));

describe("the tried values", () => {
  test("are the edges first, then generated ones, each value once", async () => {
    const { finding, values } = await tried(holding);
    expect(values.slice(0, 3)).toEqual([1, 2, 2_147_483_647]);
    expect(new Set(values).size).toBe(values.length);
    expect(values.length).toBeLessThanOrEqual(8);
    expect(finding).toEqual({
      kind: "pass",
      evidence: { probes: values.map((value) => `x${value}`), controls: ["c"] },
    });
  });

  test("are the same for the same seed, and others for another seed", async () => {
    const [one, again, other] = [
      await tried(holding, { seed: 7 }),
      await tried(holding, { seed: 7 }),
      await tried(holding, { seed: 8 }),
    ];
    expect(one.values).toEqual(again.values);
    expect(one.values).not.toEqual(other.values);
  });
});

describe("a counterexample", () => {
  test("is minimized with a few more tries", async () => {
    const { finding, values } = await tried(atMost40);
    const actual = finding.kind === "fail" ? Number(worded(finding.actual)) : 0;
    expect(actual).toBeGreaterThan(40);
    expect(actual).toBeLessThan(2_147_483_647);
    expect(values.length).toBeLessThanOrEqual(3 + 12);
  });

  test("is not minimized during a confirmation", async () => {
    const { finding, values } = await tried(atMost40, { confirming: true });
    expect(finding).toEqual(violated(2_147_483_647));
    expect(values).toEqual([1, 2, 2_147_483_647]);
  });

  test("to a MUST takes precedence over one to a SHOULD", async () => {
    const { finding } = await tried((value) =>
      value === 1 ? violated(value, { atMost: "SHOULD" }) : violated(value),
    );
    expect(finding).toEqual(violated(2));
  });

  test("to a SHOULD takes precedence over an inconclusive value", async () => {
    const { finding } = await tried((value) =>
      value === 1
        ? { kind: "inconclusive", reason: phrase`no answer` }
        : violated(value, { atMost: "SHOULD" }),
    );
    expect(finding).toMatchObject({ kind: "fail", atMost: "SHOULD" });
  });
});

test("one inconclusive value makes the property inconclusive", async () => {
  const undecided: Finding = { kind: "inconclusive", reason: phrase`no answer` };
  const { finding } = await tried((value) => (value === 2 ? undecided : holding(value)));
  expect(finding).toEqual(undecided);
});

test("values that show nothing do not make the property hold", async () => {
  const inapplicable: Finding = { kind: "not-applicable", reason: phrase`no page is shown` };
  const { finding } = await tried(() => inapplicable);
  expect(worded(finding)).toEqual({ kind: "inconclusive", reason: "no page is shown" });
  const some = await tried((value) => (value === 1 ? holding(value) : inapplicable));
  expect(some.finding.kind).toBe("pass");
});

test("an error of the judge is thrown, and no further value is tried", async () => {
  let calls = 0;
  const judging = forAll({ seed: 1, confirming: false } as Probe, VALUES, async () => {
    calls++;
    throw new RangeError("interrupted");
  });
  await expect(judging).rejects.toThrow(RangeError);
  expect(calls).toBe(1);
});
