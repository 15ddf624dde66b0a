import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageRoot } from "../lib/package-root.ts";
import { type Changes, commitOf } from "./changes.ts";
import { nameOf, outdatedInPack, PACK_SUBJECTS, packDocument } from "./pack-table.ts";
import { packComplaint, type PackProof, type PackSubject } from "./prove-pack.ts";

const PAGE = join(packageRoot, "docs", "proof-commongrants.md");
/** Whether a name is that of a fault or variant of the pack. */
export function isOfPack(name: string): boolean {
  return PACK_SUBJECTS.some((one) => nameOf(one) === name);
}

/** The names whose rows are not of today. */
export function packOutdated(changes: Changes): string[] {
  return outdatedInPack(pageNow(), changes);
}

/**
 * The faults and variants of the pack with these names.
 * @param names default: all
 */
export function packSubjects(names?: readonly string[]): readonly PackSubject[] {
  return PACK_SUBJECTS.filter((one) => names?.includes(nameOf(one)) ?? true);
}

/**
 * Writes the page of the pack.
 * @param isPart whether the rows of other faults and variants stay as they are
 * @returns what is wrong, a sentence each
 */
export function writePackPage(proofs: readonly PackProof[], isPart: boolean): readonly string[] {
  writeFileSync(PAGE, packDocument(proofs, isPart ? pageNow() : "", commitOf(packageRoot)));
  return proofs.flatMap((proof) => {
    const problem = packComplaint(proof);
    return problem === undefined ? [] : [`${nameOf(proof.subject)}: ${problem}`];
  });
}

function pageNow(): string {
  return existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
}
