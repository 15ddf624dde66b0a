import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
// oxlint-disable-next-line no-unassigned-import -- the types are those of the build
import "../support/built.ts";

test("the public types are unchanged", async () => {
  const types = readFileSync(join(packageRoot, "dist/src/vitest.d.ts"), "utf8");
  await expect(types).toMatchFileSnapshot("__snapshots__/vitest.d.ts.txt");
});
