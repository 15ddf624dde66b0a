import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import PQueue from "p-queue";

import { packageRoot } from "../lib/package-root.ts";
import { type Changes, commitOf } from "./changes.ts";
import { nameOf, outdatedInPack, PACK_SUBJECTS, packDocument } from "./pack-table.ts";
import { packComplaint, type PackProof, provePack } from "./prove-pack.ts";

const PAGE = join(packageRoot, "docs", "proof-commongrants.md");
/** A proof mostly waits for its receiver. */
const AT_ONCE = 4;

/** Whether a name is that of a fault or variant of the pack. */
export function isOfPack(name: string): boolean {
  return PACK_SUBJECTS.some((one) => nameOf(one) === name);
}

/** The names whose rows are not of today. */
export function packOutdated(changes: Changes): string[] {
  return outdatedInPack(pageNow(), changes);
}

/**
 * Proves faults and variants of the pack, and writes its page.
 * @param names default: all
 * @returns what is wrong, a sentence each
 */
export async function provePackPage(names?: readonly string[]): Promise<string[]> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const subjects = PACK_SUBJECTS.filter((one) => names?.includes(nameOf(one)) ?? true);
  const proofs = await queue.addAll(
    subjects.map((subject) => (): Promise<PackProof> => provePack(subject)),
  );
  const before = names ? pageNow() : "";
  writeFileSync(PAGE, packDocument(proofs, before, commitOf(packageRoot)));
  return proofs.flatMap((proof) => {
    const problem = packComplaint(proof);
    return problem === undefined ? [] : [`${nameOf(proof.subject)}: ${problem}`];
  });
}

function pageNow(): string {
  return existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
}
