import { expect, test } from "vitest";

import { createAges } from "../../src/probe/token-source.ts";

test.each([
  ["a slow run", 20, 300],
  ["a fast run", 2.5, 500],
])("no two tokens of one second have the same age in %s", (_, stepMs, greatest) => {
  let now = 0;
  const newAge = createAges(() => now);
  const drawn = Array.from({ length: 3000 }, () => {
    now += stepMs;
    return { age: newAge(), second: Math.floor(now / 1000) };
  });
  const tokens = new Set(drawn.map(({ age, second }) => `${second} ${second - age}`));
  expect(tokens.size).toBe(drawn.length);
  expect(Math.max(...drawn.map(({ age }) => age))).toBeLessThanOrEqual(greatest + 3);
});
