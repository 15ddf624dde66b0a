// Names the generated files that a change has outdated; `npm run stale -- --make` makes them too. It exits with 1 if one is left.
//
// The tests say what is outdated: each compares its files with what they would be now.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** In the order in which they are made: later ones show what earlier ones contain. `make` is by default the test with `-u`. */
const GENERATED = [
  { files: "test/suites/__snapshots__/registry.test.ts.snap", test: "test/suites/registry" },
  { files: "test/contract/__snapshots__/requirements.txt", test: "test/contract/requirements" },
  { files: "test/mutations/__snapshots__", test: "test/mutations/signature" },
  { files: "test/vitest/__snapshots__", test: "test/vitest/types" },
  { files: "fixtures/profile.schema.json", test: "test/profile/schema" },
  { files: "fixtures/report.schema.json", test: "test/contract/report-schema" },
  { files: "fixtures/fleet.schema.json", test: "test/fleet/fleet-schema" },
  { files: "docs/coverage.md", test: "test/suites/coverage" },
  {
    files: "docs/proof.md, fixtures/signatures.json",
    test: "test/proof/document",
    make: "npm run proof -- --outdated",
  },
  {
    files: "docs/proof-commongrants.md",
    test: "test/packs/page",
    make: "npm run proof -- --outdated",
  },
  {
    files: "fixtures/requests.json",
    test: "test/proof/requests",
    make: "npm run proof -- --requests",
  },
  { files: "test/cli/__snapshots__", test: "test/cli/golden" },
  {
    files: "docs/debugging.md, docs/debugging-own.md",
    test: "test/docs/debugging",
    make: "npm run debugging",
  },
  { files: "docs/stacks/measured.md", test: "test/receivers/stacks", make: "npm run stacks" },
  {
    files: "docs/stacks/explained.md",
    test: "test/receivers/planted/planted",
    make: "STACKS=write npx vitest run test/receivers/planted/planted.test.ts && npx oxfmt docs/stacks",
  },
];

const cwd = fileURLToPath(new URL("..", import.meta.url));
const makes = process.argv.includes("--make");
const outdated = outdatedOf(GENERATED);
for (const { files, make } of outdated) console.log(`outdated: ${files}  (${make})`);
if (outdated.length === 0) console.log("Every generated file is up to date.");
const left = outdated.filter(({ make }) => !makes || !succeeds(make));
for (const { files, make } of makes ? left : []) console.log(`${files} is not made: ${make}`);
process.exitCode = left.length > 0 ? 1 : 0;

function succeeds(command) {
  return spawnSync(command, { cwd, shell: true, stdio: "inherit" }).status === 0;
}

/** Those whose test fails. */
function outdatedOf(generated) {
  const folder = mkdtempSync(join(tmpdir(), "orgsync-stale-"));
  const report = join(folder, "report.json");
  const files = generated.map(({ test }) => `${test}.test.ts`);
  try {
    const args = ["vitest", "run", ...files, "--reporter=json", `--outputFile=${report}`];
    // With CI set, vitest writes no snapshot that is missing. Of the stacks, only their page is looked at.
    const env = { ...process.env, CI: "1", STACKS: "page" };
    spawnSync("npx", args, { cwd, env, shell: process.platform === "win32" });
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const failed = testResults.filter(({ status }) => status !== "passed").map(({ name }) => name);
    return generated
      .filter(({ test }) => failed.some((name) => name.endsWith(`${test}.test.ts`)))
      .map((one) => ({ make: `npx vitest run ${one.test}.test.ts -u`, ...one }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
