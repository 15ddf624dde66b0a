import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";

test("the public types are unchanged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
  const options = ["--emitDeclarationOnly", "--incremental", "false", "--tsBuildInfoFile", "null"];
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", folder, ...options];
  execFileSync(process.execPath, args, { cwd: packageRoot });
  const types = readFileSync(join(folder, "src/vitest.d.ts"), "utf8");
  await expect(types).toMatchFileSnapshot("__snapshots__/vitest.d.ts.txt");
});
