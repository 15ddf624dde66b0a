// `node scripts/mutants.mjs [part of a file's name]` makes one small change at a time to the judging
// modules, and checks whether their tests fail. Exits 1 if a mutant survives without an explanation.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const part = process.argv[2] ?? "";
const files = JSON.parse(readFileSync(join(root, "scripts", "mutants.json"), "utf8"));
const copy = mkdtempSync(join(tmpdir(), "mutants-"));
const COPIED = ["src", "suites", "test", "fixtures", "keys", "package.json"];
const COPIED_FILES = ["tsconfig.json", "vitest.config.ts"];
const counts = { killed: 0, explained: 0, survived: 0, untried: 0 };

/** Whether all of these tests pass in the copy. */
function passes(tests) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--bail", "1", "--reporter", "dot", ...tests];
  return spawnSync(process.execPath, args, { cwd: copy, timeout: 300_000 }).status === 0;
}

try {
  for (const name of [...COPIED, ...COPIED_FILES]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "dir");
  for (const { file, tests, mutants } of files.filter((one) => one.file.includes(part))) {
    const path = join(copy, file);
    const source = readFileSync(path, "utf8");
    if (!passes(tests)) {
      console.log(`the tests of ${file} fail without any mutant: ${tests.join(" ")}`);
      counts.untried += mutants.length;
      continue;
    }
    for (const { find, put, survives } of mutants) {
      if (source.split(find).length !== 2) throw new Error(`not once in ${file}: ${find}`);
      writeFileSync(
        path,
        source.replace(find, () => put),
      );
      const outcome = !passes(tests) ? "killed" : survives ? "explained" : "survived";
      counts[outcome] += 1;
      console.log(`${outcome.padEnd(9)} ${file}: ${find} -> ${put || "nothing"}`);
    }
    writeFileSync(path, source);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const all = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
console.log(all.join(", "));
process.exitCode = counts.survived + counts.untried > 0 ? 1 : 0;
