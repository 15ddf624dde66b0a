import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { fixturePath, packageRoot } from "../lib/package-root.ts";
import { FAULTS } from "../reference/index.ts";
import { proveAll, type Task } from "./prove-all.ts";
import {
  complaint,
  type Proof,
  RECEIVER_BUILDS,
  type ReceiverBuild,
  unprovenRules,
} from "./prove.ts";
import { signaturesFile } from "./signatures.ts";
import { proofDocument } from "./table.ts";

// `npm run proof` runs every rule against every build of the reference receiver, and writes docs/proof.md and
// fixtures/signatures.json. `npm run proof -- --quick` writes nothing, and runs every rule only against the conforming
// builds and the last fault of each rule; against any other fault the rule that should catch it. Both exit with 1 when a
// proof does not hold.
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const began = performance.now();
const tasks = RECEIVER_BUILDS.map((subject): Task =>
  values.quick ? { subject, rule: ownRule(subject) } : { subject },
);
let done = 0;
const proofs = await proveAll(tasks, (proof) => {
  const problem = complaint(proof);
  done++;
  if (problem !== undefined) console.log(`${proof.subject.name || "plain"}: ${problem}`);
  else if (done % 50 === 0) console.log(`${done} of ${tasks.length}`);
});
const unproven = values.quick ? [] : writeAll(proofs);
const problems = proofs.filter((proof) => complaint(proof) !== undefined).length + unproven.length;
const seconds = ((performance.now() - began) / 1000).toFixed(0);
const more = values.quick ? "npm run proof proves the rest" : "see docs/proof.md";
console.log(`${proofs.length - problems} passed, ${problems} failed, in ${seconds} s; ${more}`);
process.exitCode = problems > 0 ? 1 : 0;

/** The rule of a fault, unless it is the last fault of this rule. */
function ownRule({ kind, name }: ReceiverBuild): string | undefined {
  const fault = kind === "fault" ? FAULTS.find((one) => one.name === name) : undefined;
  const last = FAULTS.findLast(({ rule }) => rule === fault?.rule);
  return fault === last ? undefined : fault?.rule;
}

/** @returns rules that nothing proves */
function writeAll(all: readonly Proof[]): readonly string[] {
  const file = join(packageRoot, "docs", "proof.md");
  mkdirSync(join(packageRoot, "docs"), { recursive: true });
  writeFileSync(file, proofDocument(all));
  writeFileSync(fixturePath("signatures.json"), signaturesFile(all));
  const rules = unprovenRules(all);
  for (const rule of rules) console.log(`${rule}: no fault that it alone catches`);
  return rules;
}
