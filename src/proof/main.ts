import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { readKnownFaults } from "../engine/conclusion/signatures.ts";
import { fixturePath, packageRoot } from "../lib/package-root.ts";
import { changesIn, commitOf } from "./changes.ts";
import { cleanRun, cleanServerRun } from "./clean-run.ts";
import { isOfPack, packOutdated, packSubjects, writePackPage } from "./pack-page.ts";
import { proveAll } from "./prove-all.ts";
import { complaint, type Proof, RECEIVER_BUILDS, unprovenRules } from "./prove.ts";
import { recordRequests } from "./requests.ts";
import { signaturesFile } from "./signatures.ts";
import { outdatedIn, proofDocument } from "./table.ts";

// `npm run proof` proves every build of the reference receiver against every rule, and writes docs/proof.md and
// fixtures/signatures.json. It exits with 1 when a proof does not hold. A build runs the cases that it can change, and a sample of the
// others, drawn anew each time; `npm run proof -- --whole` runs all cases with each, which takes several times as long.
// `npm run proof -- <name>...` proves only these faults and variants, and leaves what the files say of all others;
// `--outdated` only those whose row in docs/proof.md is not of today: new ones, changed ones, and those whose rule has changed.
// Each of these also writes fixtures/requests.json, from which `run --dry-run` counts; `--requests` writes nothing else.
const PAGE = join(packageRoot, "docs", "proof.md");
const { values, positionals } = parseArgs({
  options: {
    whole: { type: "boolean", default: false },
    outdated: { type: "boolean", default: false },
    requests: { type: "boolean", default: false },
    draw: { type: "string", default: randomBytes(4).toString("hex") },
  },
  allowPositionals: true,
});
const isPart = values.outdated || positionals.length > 0;
const before = readFileSync(PAGE, "utf8");
const changes = values.outdated ? changesIn(packageRoot) : undefined;
const names = changes ? outdatedIn(before, changes) : positionals.filter((name) => !isOfPack(name));
const ofPack = changes ? packOutdated(changes) : positionals.filter((name) => isOfPack(name));
const unknown = names.find((name) => !RECEIVER_BUILDS.some((one) => one.name === name));
if (unknown !== undefined) {
  console.error(`there is no fault or variant ${unknown}; docs/proof.md lists them`);
  process.exit(2);
}
writeFileSync(fixturePath("requests.json"), `${JSON.stringify(await recordRequests(), null, 1)}\n`);
if (values.requests) process.exit(0);
if (values.outdated && names.length + ofPack.length === 0) {
  console.log("Every row of docs/proof.md and docs/proof-commongrants.md is of today.");
  process.exit(0);
}
const began = performance.now();
const secondsSince = (): string => ((performance.now() - began) / 1000).toFixed(0);
const builds = RECEIVER_BUILDS.filter(
  ({ kind, name }) => !isPart || kind === "plain" || names.includes(name),
);
const { draw } = values;
console.log(`${builds.length} builds; --draw ${draw} draws the same samples again`);
let done = 0;
let failed = 0;
// The pack has a page of its own: docs/proof-commongrants.md.
const isOfPackAlone = isPart && names.length === 0;
const { proofs, packProofs } = await proveAll({
  builds: isOfPackAlone ? [] : builds,
  ofPack: packSubjects(isPart ? ofPack : undefined),
  compareWith:
    values.whole || isOfPackAlone
      ? undefined
      : async () => ({ clean: [await cleanRun(), await cleanServerRun()], draw }),
  onProof(proof) {
    // A problem is shown at once: the whole takes long.
    const problem = complaint(proof);
    if (problem !== undefined) {
      failed++;
      console.log(`${proof.subject.name || "plain"}: ${problem}`);
    }
    if (++done % 100 === 0) console.log(`${done} of ${builds.length} in ${secondsSince()} s`);
  },
});
const ofPackWrong = packProofs.length > 0 ? writePackPage(packProofs, isPart) : [];
for (const one of ofPackWrong) console.log(one);
if (ofPackWrong.length > 0) process.exitCode = 1;
if (isOfPackAlone) process.exit();
const problems = failed + writeAll(proofs).length;
console.log(
  `${proofs.length - problems} passed, ${problems} failed, in ${secondsSince()} s; see docs/proof.md`,
);
if (problems > 0) process.exitCode = 1;

/** @returns rules that nothing proves */
function writeAll(all: readonly Proof[]): readonly string[] {
  const commit = commitOf(packageRoot);
  writeFileSync(PAGE, proofDocument(all, isPart ? before : undefined, commit));
  const known = isPart ? readKnownFaults() : undefined;
  writeFileSync(fixturePath("signatures.json"), signaturesFile(all, known));
  const rules = isPart ? [] : unprovenRules(all);
  for (const rule of rules) console.log(`${rule}: no fault that it alone catches`);
  return rules;
}
