import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { HANGS_MS } from "./test/support/hangs.ts";
// oxlint-disable-next-line import/no-unassigned-import -- vitest itself loads `globalSetup` as it is
import "./test/support/typescript.mjs";

/** They replace modules of Node, which nobody may have imported before, and which only vitest's own loader can do. */
const MOCKING = ["test/http/addresses.test.ts", "test/cli/write-fails.test.ts"];

/** What takes longest, the longest first: whoever begins last ends last, and in a fresh clone vitest goes by size. */
const LONGEST = [
  "test/attacks/attacks.test.ts",
  "test/proof/blamed.test.ts",
  "test/docs/debugging.test.ts",
  "test/proof/combinations.test.ts",
  "test/proof/variants.test.ts",
  "test/stability/bad-line.test.ts",
  "test/proof/caught.test.ts",
];

function rank({ moduleId }: TestSpecification): number {
  if (MOCKING.some((name) => moduleId.endsWith(name))) return LONGEST.length + 1;
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
  return at < 0 ? LONGEST.length : at;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- it is vitest's own
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** `-t <fault>` finds any fault, though only some are tried when nobody asks for one. */
const namesTests = process.argv.some((word) => /^(-t|--testNamePattern)(=|$)/.test(word));

const config: ViteUserConfig = defineConfig({
  test: {
    // Only against tests that would never end: a slow machine is no defect.
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // Vitest leaves one core out; of two that is half.
    maxWorkers: 3,
    // No test changes what others import: loading it once for all files of a worker halves the time of most.
    isolate: false,
    // Whole runs wait for a token to expire: some at once keep a core busy.
    maxConcurrency: 4,
    sequence: { sequencer: LongestFirst },
    // Node loads the modules, with `typescript.mjs`: vitest's own loader makes each use of an import slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // All that the tests leave in the temporary folder is removed after the run.
    globalSetup: "./test/support/temporary-folders.ts",
    execArgv: ["--import", "./test/support/typescript.mjs"],
    ...(namesTests && { env: { PROOF: "all" } }),
    projects: [
      {
        extends: true,
        test: { name: "tests", include: ["test/**/*.test.ts"], exclude: MOCKING },
      },
      {
        extends: true,
        test: {
          name: "mocking",
          include: MOCKING,
          isolate: true,
          experimental: { viteModuleRunner: true, fsModuleCache: true },
        },
      },
    ],
  },
});

export default config;
