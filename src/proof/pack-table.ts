import { PACKS } from "../../suites/packs.ts";
import { COMMONGRANTS_FAULTS, COMMONGRANTS_VARIANTS } from "../reference/index.ts";
import type { Changes } from "./changes.ts";
import { packComplaint, type PackProof, type PackSubject } from "./prove-pack.ts";
import { lastCells, NOT_RUN, outdatedRows, row } from "./table.ts";

/** Every receiver of the published protocol that a proof is about. */
export const PACK_SUBJECTS: readonly PackSubject[] = [
  ...COMMONGRANTS_FAULTS.map(({ name }) => ({ fault: name })),
  ...COMMONGRANTS_VARIANTS.map(({ name }) => ({ variant: name })),
];

/** The name of its fault or variant. */
export function nameOf({ fault, variant = "" }: PackSubject): string {
  return fault ?? variant;
}

/**
 * The text of `docs/proof-commongrants.md`: which rule of the pack catches which fault, and that no variant fails.
 * @param before the page as it is, which is believed for what has no proof now
 * @param commit the commit that the proofs are of
 */
export function packDocument(proofs: readonly PackProof[], before = "", commit = ""): string {
  const cells = lastCells(before);
  const byName = new Map(proofs.map((proof) => [nameOf(proof.subject), proof]));
  const end = (name: string, seen: (proof: PackProof) => string): [string, string] => {
    const proof = byName.get(name);
    const [known = NOT_RUN, of = ""] = cells.get(name) ?? [];
    return proof ? [seen(proof), commit] : [known, of];
  };
  const rules = PACKS.flatMap((pack) => pack.rules);
  const lines = [
    "# Proof of the pack commongrants",
    "",
    "All rules of the pack against each fault and each conforming variant of the published protocol, each in a receiver of its own.",
    "`npm run proof` writes this page beside [proof.md](proof.md), which is about the contract.",
    "",
    `${rules.length} rules, ${COMMONGRANTS_FAULTS.length} faults, ${COMMONGRANTS_VARIANTS.length} conforming variants.`,
    "",
    "## Faults, by the rule that catches them",
  ];
  for (const { id, title, level } of rules) {
    const faults = COMMONGRANTS_FAULTS.filter(({ rule }) => rule === id);
    lines.push("", `### ${id}`, "", `${title} (${level}).`, "");
    if (faults.length === 0) {
      lines.push("It judges nothing, so there is no fault of it.");
      continue;
    }
    lines.push(
      ...row("fault", "what is wrong", "how it comes about", "seen by", "of"),
      "|---|---|---|---|---|",
      ...faults.flatMap(({ name, title: wrong, how }) =>
        row(`\`${name}\``, wrong, how, ...end(name, seenBy)),
      ),
    );
  }
  lines.push(
    "",
    "## Conforming variants",
    "",
    ...row("variant", "what is different", "verdict", "of"),
    "|---|---|---|---|",
    ...COMMONGRANTS_VARIANTS.flatMap(({ name, title }) =>
      row(
        `\`${name}\``,
        title,
        ...end(name, (proof) => packComplaint(proof)?.replaceAll("\n", " ") ?? "conformant"),
      ),
    ),
  );
  return `${lines.join("\n")}\n`;
}

/** The first case that saw a fault, and how many more did. */
function seenBy(proof: PackProof): string {
  const problem = packComplaint(proof);
  if (problem !== undefined) return problem;
  const rule = COMMONGRANTS_FAULTS.find(({ name }) => name === proof.subject.fault)?.rule ?? "";
  const [first, ...more] = proof.seen.filter((one) => one.rule === rule);
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  return `${first?.outcome}: ${first?.id.slice(rule.length + 1)}${others}`;
}

/** The faults and variants of the pack whose row is outdated; see `outdatedRows`. */
export function outdatedInPack(page: string, changes?: Changes): string[] {
  const subjects = [...COMMONGRANTS_FAULTS, ...COMMONGRANTS_VARIANTS];
  return outdatedRows(page, packDocument([], page), subjects, changes);
}
