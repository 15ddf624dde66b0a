import { expect, test } from "vitest";

import { FAULTS } from "../../src/reference/index.ts";

test("names are unique, and every fault has a description and a rule", () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  for (const { name, title, rule, how } of FAULTS) {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+|-on-[A-Za-z]+|-[a-z]+[A-Z]\w+)*$/);
    expect(rule).toMatch(
      /^(routes|receiver|errors|pagination|resources|document|authorization-server)\.[a-z-]+$/,
    );
    expect(title.length * how.length).toBeGreaterThan(0);
  }
});
