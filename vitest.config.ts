import { defineConfig, type ViteUserConfig } from "vitest/config";

/** Whole runs of the command, of receivers on other stacks, and over bad lines. */
const END_TO_END = [
  "test/{cli,docs,pipeline,receivers,stability,vitest}/**/*.test.ts",
  "test/document/{command,commongrants,end-to-end}.test.ts",
  "test/conformance.test.ts",
];
/** Rules against faults and variants of the reference receiver. */
const PROOF = ["test/proof/**/*.test.ts"];

/** Only against tests that would never end: a slow machine is no defect. */
const HANGS_MS = 600_000;

/** `-t <fault>` finds any fault, though only some are tried when nobody asks for one. */
const namesTests = process.argv.some((word) => /^(-t|--testNamePattern)(=|$)/.test(word));

const config: ViteUserConfig = defineConfig({
  test: {
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // Vitest leaves one core out; of two that is half.
    maxWorkers: "100%",
    // Whole runs wait for a token to expire: some at once keep a core busy.
    maxConcurrency: 4,
    execArgv: ["--import", "./test/support/typescript.mjs"],
    // It imports JSON without saying so, which Node refuses.
    server: { deps: { inline: ["@actions/workflow-parser"] } },
    ...(namesTests && { env: { PROOF: "all" } }),
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...END_TO_END, ...PROOF],
        },
      },
      { extends: true, test: { name: "e2e", include: END_TO_END } },
      { extends: true, test: { name: "proof", include: PROOF } },
    ],
  },
});

export default config;
