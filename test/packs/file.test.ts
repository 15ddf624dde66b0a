import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";

import { packageRoot } from "../../src/lib/package-root.ts";
import { type RunningReference, startReference } from "../../src/reference/index.ts";
import { folderWith } from "../support/folder.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

const COMMAND = join(packageRoot, "bin/orgsync-conformance.js");
const PAGE = readFileSync(join(packageRoot, "docs/packs.md"), "utf8");
/** The pack of the page, word for word. */
const PACK = /```js\n([\s\S]+?)```/.exec(PAGE)?.[1] ?? "";
const TYPED = PACK.replace("import {", "import { type Finding, type Probe,").replace(
  "judge(probe) {",
  "judge(probe: Probe): Promise<Finding> {",
);

let receiver: RunningReference;
beforeAll(async () => {
  receiver = await startReference({ jwks: BUNDLED_JWKS });
});
afterAll(() => receiver.close());

/** A vendor's project with a pack; the suite is installed there, or is not. */
function project(files: Readonly<Record<string, string>>, installed = true): string {
  const folder = folderWith({ ...files, "orgsync.yaml": stringify(receiver.profile) });
  mkdirSync(join(folder, "node_modules"));
  if (installed) symlinkSync(packageRoot, join(folder, "node_modules/orgsync-conformance"));
  return folder;
}

async function run(cwd: string, ...argv: string[]): Promise<{ code: number; text: string }> {
  const args = [COMMAND, "run", "--profile", "orgsync.yaml", "--rule", "house.*", ...argv];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

test.each(["house.js", "house.mjs"])(
  "the pack of docs/packs.md runs from %s, as the page says",
  async (name) => {
    const folder = project({ [name]: PACK });
    const { code, text } = await run(folder, "--pack", `./${name}`);
    expect(code).toBe(0);
    expect(text).toContain("House rules: partial.");
    const report = readFileSync(join(folder, "reports/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({
      packs: [{ id: "house", rules: [{ id: "house.no-server-version", outcome: "pass" }] }],
    });
  },
);

test("a pack in TypeScript runs where Node loads TypeScript, and is refused with the reason elsewhere", async () => {
  const { code, text } = await run(project({ "house.ts": TYPED }), "--pack", "./house.ts");
  const { typescript } = process.features as { typescript?: string | false };
  expect(code).toBe(typescript ? 0 : 2);
  expect(text).toContain(typescript ? "House rules: partial." : "TypeScript needs Node 22.18");
});

test("a pack that cannot import the suite is refused with what to do", async () => {
  const { code, text } = await run(project({ "house.js": PACK }, false), "--pack", "./house.js");
  expect(code).toBe(2);
  expect(text).toContain("Install orgsync-conformance in the project of this file");
});

test("--untrusted refuses the file of a pack", async () => {
  const folder = project({ "house.js": PACK });
  const { code, text } = await run(folder, "--untrusted", receiver.baseUrl, "--pack", "./house.js");
  expect(code).toBe(2);
  expect(text).toContain("--untrusted takes no file as a pack");
});
