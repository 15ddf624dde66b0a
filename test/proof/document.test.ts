import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { FAULTS, VARIANTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";

test("docs/proof.md lists these rules, faults and variants; `npm run proof` writes it", () => {
  const page = readFileSync(join(packageRoot, "docs", "proof.md"), "utf8");
  const named = (pattern: RegExp): string[] =>
    [...page.matchAll(pattern)].map(([, name = ""]) => name);
  expect(named(/^### (\S+)$/gm)).toEqual(RULES.map(({ id }) => id));
  const rows = [...FAULTS, ...VARIANTS].map(({ name }) => name);
  expect(named(/^\| `([^`]+)` \|/gm).toSorted()).toEqual(rows.toSorted());
  expect(page).not.toMatch(/MISSED|not run|No fault proves/);
});
