import { defineConfig, type TestProjectConfiguration, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { HANGS_MS } from "./test/support/hangs.ts";

const TESTS = ["test/**/*.test.ts"];
/** Whole runs of the command, and of receivers on other stacks. */
const END_TO_END = [
  "test/{cli,docs,fleet,pipeline,receivers,vitest}/**/*.test.ts",
  "test/document/command.test.ts",
  "test/packs/file.test.ts",
  "test/conformance.test.ts",
];
/** What takes long and proves what shorter tests sample: `npm run test:long`, or `LONG=1 npm test` for all tests. */
const LONG = [
  "test/{attacks,stability}/**/*.test.ts",
  "test/proof/{blamed,caught,cases-to-run,combinations,document,uncaught,variants}.test.ts",
  "test/cli/{attacks,baseline,by-hand,doctor-accepted,doctor-refused,doctor-server,doctor-writes,dry-run,failed,gate,github,golden,init,serve,started-as,untrusted,write-fails}.test.ts",
  "test/engine/{brackets,crossed,diagnose,ended,first-use,in-turn}.test.ts",
  "test/engine/diagnosis/{reference,signatures}.test.ts",
  "test/explore/{explore,found,stacks,walks}.test.ts",
  "test/probe/{pagination,partition}.test.ts",
  "test/reference/variants.test.ts",
  "test/report/{har,html,html-accessible,html-hostile,html-use,size}.test.ts",
  "test/suites/{after-a-refusal,empty,errors,isolation,no-side-effects,remembered,rotation,signature,unguarded-writes,unusual}.test.ts",
  "test/receivers/{examples,foreign,judged,some-operations,stacks}.test.ts",
  "test/receivers/planted/{by-model,planted}.test.ts",
  "test/authorization-server/{almost-right,client-authentication,flows,further-tokens,issued-tokens,judging,leaks,products,reference,refresh-tokens,small-server,token-command}.test.ts",
  "test/document/{attacks,commongrants,end-to-end}.test.ts",
  "test/docs/debugging.test.ts",
  "test/fleet/{engines,fleet,page,shards}.test.ts",
  "test/library/side-by-side.test.ts",
  "test/model/reference-long.test.ts",
  "test/packs/{file,prism,proof,verdicts,verify}.test.ts",
  "test/pipeline/links.test.ts",
  "test/verify/{attest,command,forged,forged-failures,forged-requests,forged-server,genuine}.test.ts",
  "test/vitest/host.test.ts",
  "test/workbench/{attacks,judge,page,real,send}.test.ts",
];

/** What `--project` can name. */
const PROJECTS: TestProjectConfiguration[] = [
  { extends: true, test: { name: "long", include: LONG } },
  { extends: true, test: { name: "e2e", include: END_TO_END, exclude: LONG } },
  { extends: true, test: { name: "unit", include: TESTS, exclude: [...END_TO_END, ...LONG] } },
];

/**
 * What takes longest, the longest first: whoever begins last ends last, and in a fresh clone vitest goes by size. Files that mostly wait,
 * for a download, a browser or the expiry of a token, stand between files that compute, so that no core is idle.
 */
const LONGEST = [
  "test/packs/prism.test.ts",
  "test/proof/cases-to-run.test.ts",
  "test/suites/errors.test.ts",
  "test/authorization-server/small-server.test.ts",
  "test/proof/combinations.test.ts",
  "test/engine/crossed.test.ts",
  "test/verify/genuine.test.ts",
  "test/proof/caught.test.ts",
  "test/cli/golden.test.ts",
  "test/suites/after-a-refusal.test.ts",
  "test/workbench/page.test.ts",
  "test/attacks/attacks.test.ts",
  "test/proof/variants.test.ts",
  "test/workbench/send.test.ts",
  "test/receivers/planted/planted.test.ts",
  "test/receivers/planted/by-model.test.ts",
  "test/docs/debugging.test.ts",
  "test/stability/bad-line.test.ts",
  "test/model/reference-long.test.ts",
  "test/packs/proof.test.ts",
  "test/receivers/stacks.test.ts",
  "test/stability/same-seed.test.ts",
  "test/receivers/examples.test.ts",
  "test/receivers/some-operations.test.ts",
  "test/suites/empty.test.ts",
  "test/proof/blamed.test.ts",
  "test/receivers/judged.test.ts",
  "test/engine/brackets.test.ts",
  "test/authorization-server/leaks.test.ts",
  "test/cli/dry-run.test.ts",
  "test/cli/doctor-server.test.ts",
  "test/suites/unguarded-writes.test.ts",
  "test/report/html.test.ts",
  "test/authorization-server/issued-tokens.test.ts",
  "test/packs/verify.test.ts",
  "test/fleet/fleet.test.ts",
  "test/report/size.test.ts",
  "test/explore/explore.test.ts",
  "test/verify/attest.test.ts",
  "test/cli/baseline.test.ts",
  // Among the short tests.
  "test/cli/run.test.ts",
];

function rank({ moduleId }: TestSpecification): number {
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

function isGiven(option: RegExp): boolean {
  return process.argv.some((word) => option.test(word));
}

const wantsLong = process.env["LONG"] === "1";
/** Without the name of a file, a test or a project, what takes long is left out. */
const namesFiles = process.argv.slice(2).some((word) => !/^(-|(list|run|watch)$)/.test(word));
/** `-t <fault>` finds any fault, though only some are tried when nobody asks for one. */
const namesTests = isGiven(/^(-t|--testNamePattern)(=|$)/);
/** Without `--project`, all tests are one: a worker starts anew for a file of another project, and its first runs take twice as long. */
const namesProject = isGiven(/^--project(=|$)/);

const config: ViteUserConfig = defineConfig({
  test: {
    // Only against tests that would never end: a slow machine is no defect.
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    // More than two cores, because many tests wait for a moment, such as that at which a token expires.
    maxWorkers: 4,
    // No test changes what others import: loading it once for all files of a worker halves the time of most.
    isolate: false,
    // Whole runs wait for a token to expire: some at once keep a core busy.
    maxConcurrency: 4,
    sequence: { sequencer: LongestFirst },
    // Node loads the modules, with `typescript.mjs`: vitest's own loader makes each use of an import slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // All that the tests leave in the temporary folder is removed after the run. Vitest loads these as they are.
    globalSetup: ["./test/support/temporary-folders.mjs", "./test/support/document-worker.mjs"],
    execArgv: ["--import", "./test/support/typescript.mjs"],
    ...(namesTests && { env: { PROOF: "all" } }),
    ...(namesProject
      ? { projects: PROJECTS }
      : { include: TESTS, exclude: wantsLong || namesFiles || namesTests ? [] : LONG }),
  },
});

export default config;
