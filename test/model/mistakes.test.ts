import { describe, expect, it } from "vitest";

import { MISTAKES } from "../../src/model/mistakes.ts";
import { comparisons } from "../../src/model/mistakes/comparisons.ts";

const all = Object.values(MISTAKES).flat();

describe("mistakes of the model", () => {
  it("have one sentence each", () => {
    const composed = all.filter(({ isComposed }) => isComposed);
    const named = composed.map(({ behaves }) => behaves);
    expect(named.filter((one, at) => named.indexOf(one) !== at)).toEqual([]);
    expect(all.filter(({ behaves }) => /CLAIM| ,|undefined/.test(behaves))).toEqual([]);
  });

  it("say where to look", () => {
    expect(all.filter(({ look }) => !look.endsWith("."))).toEqual([]);
  });
});

describe("comparisons that are made of parts", () => {
  it.each(comparisons("by").map((one) => [one.behaves, one] as const))(
    "one that %s takes the right value, and something else",
    (_behaves, { isTaken }) => {
      const right = "https://receiver.example/Api";
      expect(isTaken(right, right)).toBe(true);
      const wrong = [right.toUpperCase(), ` ${right}`, `${right}/x`, `x${right}`, "https"];
      expect(wrong.some((one) => isTaken(one, right))).toBe(true);
      expect(isTaken("of another kind", right)).toBe(false);
    },
  );
});
