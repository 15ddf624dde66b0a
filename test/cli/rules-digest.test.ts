import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { BUILT_DIGEST, digestOfRules } from "../../src/engine/rules-digest.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { RULES } from "../../suites/index.ts";

test("the build has written down the digest that follows from rules and cases", () => {
  const built = readFileSync(join(packageRoot, "dist/fixtures", BUILT_DIGEST), "utf8");
  expect(JSON.parse(built)).toBe(digestOfRules(RULES));
  expect(digestOfRules([...RULES])).toBe(digestOfRules(RULES));
  expect(digestOfRules(RULES.slice(1))).not.toBe(digestOfRules(RULES));
});
