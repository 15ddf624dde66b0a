import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { expect, test } from "vitest";

import { readKnownFaults } from "../../src/engine/conclusion/signatures.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { changesIn } from "../../src/proof/changes.ts";
import { wordsOf } from "../../src/proof/signatures.ts";
import { outdatedIn, proofDocument } from "../../src/proof/table.ts";
import { FAULTS } from "../../src/reference/index.ts";

test("docs/proof.md has the rules, faults and variants of today; `npm run proof -- --outdated` writes it", () => {
  const page = readFileSync(join(packageRoot, "docs", "proof.md"), "utf8");
  expect(proofDocument([], page)).toBe(page);
  expect(page).not.toMatch(/\| (?:MISSED|not run) \||No fault proves/);
});

test("no row of docs/proof.md is older than its rule, its fault or its variant; `npm run proof -- --outdated` proves these", () => {
  const page = readFileSync(join(packageRoot, "docs", "proof.md"), "utf8");
  expect(outdatedIn(page, changesIn(packageRoot))).toEqual([]);
});

test("fixtures/signatures.json says of each fault what the fault says of itself; `npm run proof` writes it", () => {
  const told = new Map(FAULTS.map((one) => [one.name, { rule: one.rule, ...wordsOf(one) }]));
  const outdated = readKnownFaults().signatures.filter(
    ({ fault, rule, behaves, look, source }) =>
      !isDeepStrictEqual(told.get(fault), {
        rule,
        behaves,
        look,
        ...(source !== undefined && { source }),
      }),
  );
  expect(outdated.map(({ fault }) => fault)).toEqual([]);
});
