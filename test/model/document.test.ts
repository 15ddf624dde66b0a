import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { CHECK_NAMES } from "../../src/model/checks.ts";

test("docs/contract-model.md has a row for each check, in their order", () => {
  const page = readFileSync(join(packageRoot, "docs/contract-model.md"), "utf8");
  const table = page.slice(page.indexOf("## The checks"), page.indexOf("## What is known"));
  expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(CHECK_NAMES);
});
