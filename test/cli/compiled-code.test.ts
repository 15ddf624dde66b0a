import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { folderWith } from "../support/folder.ts";

const LOADER = join(packageRoot, "src/cli/compiled-code.ts");
const TYPESCRIPT = join(packageRoot, "test/support/typescript.mjs");

/** A module that requires one beside it, twice, and one of Node. */
const MODULES = {
  "main.cjs": `
    const { greet } = require("./greet-1.cjs");
    exports.said = greet(require("node:path").basename(__filename));
    exports.same = require("./greet-1.cjs").greet === greet;`,
  "greet-1.cjs": `exports.greet = (name) => "hello " + name;`,
};
const EXPORTED = { said: "hello main.cjs", same: true };

/** What a process of its own gets from the modules when it keeps compiled code in `kept`. */
function load(modules: string, kept: string): unknown {
  const script = `
    import { loadCompiled } from ${JSON.stringify(LOADER)};
    const main = loadCompiled(${JSON.stringify(join(modules, "main.cjs"))}, ${JSON.stringify(kept)});
    console.log(JSON.stringify(main));`;
  const args = ["--import", TYPESCRIPT, "--input-type=module", "--eval", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("a module exports the same with kept code, with none, and with what is no code", () => {
  const modules = folderWith(MODULES);
  const kept = join(modules, "kept");
  expect(load(modules, kept)).toEqual(EXPORTED);
  const files = filesOf(kept);
  expect(files.length).toBeGreaterThan(0);
  expect(load(modules, kept)).toEqual(EXPORTED);
  for (const file of files) writeFileSync(file, "no code");
  expect(load(modules, kept)).toEqual(EXPORTED);
  expect(filesOf(kept)).toEqual(files);
});

test("kept code that was damaged is not run", () => {
  const modules = folderWith(MODULES);
  const kept = join(modules, "kept");
  load(modules, kept);
  for (const file of filesOf(kept)) {
    const code = readFileSync(file);
    code.subarray(code.length - 200, code.length - 100).fill(0);
    writeFileSync(file, code);
  }
  expect(load(modules, kept)).toEqual(EXPORTED);
});

test("kept code of another text as long is not run", () => {
  const modules = folderWith(MODULES);
  const kept = join(modules, "kept");
  load(modules, kept);
  const greet = join(modules, "greet-1.cjs");
  writeFileSync(greet, MODULES["greet-1.cjs"].replace("hello", "salut"));
  expect(load(modules, kept)).toEqual({ ...EXPORTED, said: "salut main.cjs" });
});

test("each release of Node and each processor has kept code of its own", () => {
  const modules = folderWith(MODULES);
  load(modules, join(modules, "kept"));
  const [engine] = readdirSync(join(modules, "kept"));
  expect(engine).toContain(process.version);
  expect(engine).toContain(process.arch);
});

test("a folder that cannot be made is no obstacle", () => {
  const modules = folderWith({ ...MODULES, taken: "a file" });
  expect(load(modules, join(modules, "taken/kept"))).toEqual(EXPORTED);
});
