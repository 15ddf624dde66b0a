import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { fixturePath, packageRoot } from "../lib/package-root.ts";
import { proveAll } from "./prove-all.ts";
import { complaint, RECEIVER_BUILDS, unprovenRules } from "./prove.ts";
import { signaturesFile } from "./signatures.ts";
import { proofDocument } from "./table.ts";

// `npm run proof` proves everything, writes docs/proof.md and fixtures/signatures.json, and exits 1 when a
// proof does not hold.
const began = performance.now();
let done = 0;
const proofs = await proveAll(RECEIVER_BUILDS, (proof) => {
  const problem = complaint(proof);
  done++;
  if (problem !== undefined) console.log(`${proof.subject.name || "plain"}: ${problem}`);
  else if (done % 50 === 0) console.log(`${done} of ${RECEIVER_BUILDS.length}`);
});
const file = join(packageRoot, "docs", "proof.md");
mkdirSync(join(packageRoot, "docs"), { recursive: true });
writeFileSync(file, proofDocument(proofs));
writeFileSync(fixturePath("signatures.json"), signaturesFile(proofs));
const unproven = unprovenRules(proofs);
for (const rule of unproven) console.log(`${rule}: no fault that it alone catches`);
const problems = proofs.filter((proof) => complaint(proof) !== undefined).length + unproven.length;
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `${proofs.length - problems} passed, ${problems} failed, in ${seconds} s; see docs/proof.md`,
);
process.exitCode = problems > 0 ? 1 : 0;
