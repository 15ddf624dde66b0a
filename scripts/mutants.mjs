// `node scripts/mutants.mjs [filter]` makes one small change at a time to the judging modules, and
// checks whether their tests fail. The filter is a part of a mutant's line in the output, such as a
// file's name or `plan.ts: testCase.level`. Exits 1 if a mutant survives without an explanation, or if
// no mutant matches.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const filter = process.argv[2] ?? "";
const files = JSON.parse(readFileSync(join(root, "scripts", "mutants.json"), "utf8"));
const copy = mkdtempSync(join(tmpdir(), "mutants-"));
const COPIED = ["src", "suites", "scripts", "test", "fixtures", "keys", "package.json"];
const COPIED_FILES = ["tsconfig.json", "vitest.config.ts"];
const counts = { killed: 0, explained: 0, survived: 0, untried: 0 };

/** A mutant as the output names it, without line ends. */
function nameOf(file, { find, put }) {
  return `${file}: ${find} -> ${put || "nothing"}`.replaceAll(/\s*\n\s*/g, " ");
}

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
  for (const { file, tests, mutants: all } of files) {
    const mutants = all.filter((mutant) => nameOf(file, mutant).includes(filter));
    if (mutants.length === 0) continue;
    const path = join(copy, file);
    const source = readFileSync(path, "utf8");
    if (!passes(tests)) {
      console.log(`the tests of ${file} fail without any mutant: ${tests.join(" ")}`);
      counts.untried += mutants.length;
      continue;
    }
    for (const mutant of mutants) {
      const { find, put, survives } = mutant;
      if (source.split(find).length !== 2) throw new Error(`not once in ${file}: ${find}`);
      writeFileSync(
        path,
        source.replace(find, () => put),
      );
      const outcome = !passes(tests) ? "killed" : survives ? "explained" : "survived";
      counts[outcome] += 1;
      console.log(`${outcome.padEnd(9)} ${nameOf(file, mutant)}`);
    }
    writeFileSync(path, source);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const totals = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
console.log(totals.join(", "));
const tried = counts.killed + counts.explained + counts.survived;
process.exitCode = tried === 0 || counts.survived + counts.untried > 0 ? 1 : 0;
