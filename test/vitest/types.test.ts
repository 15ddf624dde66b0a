import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { folderWith } from "../support/folder.ts";

test("the public types are unchanged", async () => {
  const folder = folderWith();
  const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
  const options = ["--emitDeclarationOnly", "--incremental", "false", "--tsBuildInfoFile", "null"];
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", folder, ...options];
  execFileSync(process.execPath, args, { cwd: packageRoot });
  const types = readFileSync(join(folder, "src/vitest.d.ts"), "utf8");
  await expect(types).toMatchFileSnapshot("__snapshots__/vitest.d.ts.txt");
});
