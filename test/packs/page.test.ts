import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { changesIn } from "../../src/proof/changes.ts";
import { outdatedInPack, packDocument } from "../../src/proof/pack-table.ts";

const PAGE = readFileSync(join(packageRoot, "docs", "proof-commongrants.md"), "utf8");

test("docs/proof-commongrants.md has the rules, faults and variants of today; `npm run proof -- --outdated` writes it", () => {
  expect(packDocument([], PAGE)).toBe(PAGE);
  expect(PAGE).not.toMatch(/missed by|not run|but the verdict|also blamed|conforms, but/);
});

test("no row of docs/proof-commongrants.md is older than its rule, its fault or its variant", () => {
  expect(outdatedInPack(PAGE, changesIn(packageRoot))).toEqual([]);
});
