import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { readKnownFaults } from "../engine/conclusion/signatures.ts";
import { fixturePath, packageRoot } from "../lib/package-root.ts";
import { type ProveAll, withProvers } from "./prove-all.ts";
import { proveFaults } from "./prove-faults.ts";
import {
  complaint,
  type Proof,
  RECEIVER_BUILDS,
  type ReceiverBuild,
  unprovenRules,
} from "./prove.ts";
import { signaturesFile } from "./signatures.ts";
import { outdatedIn, proofDocument } from "./table.ts";

/** Conforming receivers are proven while the next pools of faults wait for the results of those before. */
const MEANWHILE = -1;

// `npm run proof` runs every rule against every build of the reference receiver, and writes docs/proof.md and
// fixtures/signatures.json. It exits with 1 when a proof does not hold. Faults that do not hide one another are proven in
// one receiver; `npm run proof -- --alone` gives each fault a receiver of its own, which takes twice the time.
// `npm run proof -- <name>...` proves only these faults and variants, and leaves what the files say of all others;
// `--outdated` only those of which docs/proof.md says nothing, or something else than they say of themselves.
const PAGE = join(packageRoot, "docs", "proof.md");
const { values, positionals } = parseArgs({
  options: {
    alone: { type: "boolean", default: false },
    outdated: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const isPart = values.outdated || positionals.length > 0;
const names = values.outdated ? outdatedIn(readFileSync(PAGE, "utf8")) : positionals;
const unknown = names.find((name) => !RECEIVER_BUILDS.some((one) => one.name === name));
if (unknown !== undefined) {
  console.error(`there is no fault or variant ${unknown}; docs/proof.md lists them`);
  process.exit(2);
}
const began = performance.now();
let runs = 0;
const proofs = await withProvers(
  async (prove) => {
    const alone = (builds: readonly ReceiverBuild[], priority?: number): ReturnType<ProveAll> =>
      prove(
        builds.map((subject) => ({ subject })),
        priority,
      );
    if (isPart)
      return alone(
        RECEIVER_BUILDS.filter(({ kind, name }) => kind === "plain" || names.includes(name)),
      );
    if (values.alone) return alone(RECEIVER_BUILDS);
    const conforming = RECEIVER_BUILDS.filter(({ kind }) => kind !== "fault");
    return (await Promise.all([alone(conforming, MEANWHILE), proveFaults(prove)])).flat();
  },
  () => {
    if (++runs % 50 === 0) console.log(`${runs} runs`);
  },
);
let problems = writeAll(proofs).length;
for (const proof of proofs) {
  const problem = complaint(proof);
  if (problem === undefined) continue;
  console.log(`${proof.subject.name || "plain"}: ${problem}`);
  problems++;
}
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `${proofs.length - problems} passed, ${problems} failed, ${runs} runs in ${seconds} s; see docs/proof.md`,
);
process.exitCode = problems > 0 ? 1 : 0;

/** @returns rules that nothing proves */
function writeAll(all: readonly Proof[]): readonly string[] {
  writeFileSync(PAGE, proofDocument(all, isPart ? readFileSync(PAGE, "utf8") : undefined));
  const known = isPart ? readKnownFaults() : undefined;
  writeFileSync(fixturePath("signatures.json"), signaturesFile(all, known));
  const rules = isPart ? [] : unprovenRules(all);
  for (const rule of rules) console.log(`${rule}: no fault that it alone catches`);
  return rules;
}
