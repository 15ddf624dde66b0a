import { RULES } from "../../suites/index.ts";
import { counted } from "../lib/words.ts";
import { FAULTS, VARIANTS } from "../reference/index.ts";
import type { Changes } from "./changes.ts";
import { type Measured, readMeasured } from "./exploration-data.ts";
import { ruleTable, toldBySeed } from "./exploration-page.ts";
import { complaint, type Proof, rulesOf } from "./prove.ts";

/** What a page says of a fault or variant that no proof has run with. */
export const NOT_RUN = "not run";

/**
 * The text of `docs/proof.md`: which rule catches which fault, and that no variant fails.
 * @param before the page as it is, which is believed for what has no proof now; default: an empty one
 * @param commit the commit that the proofs are of
 */
export function proofDocument(proofs: readonly Proof[], before = "", commit = ""): string {
  const proven = new Set(proofs.map(({ subject }) => subject.name));
  const cells = lastCells(before);
  const byName = new Map(
    proofs.map((proof) => [`${proof.subject.kind} ${proof.subject.name}`, proof]),
  );
  const wrong = [
    ...[...before.matchAll(/^- `([^`]+)`: .*$/gm)].flatMap(([line, name = ""]) =>
      proven.has(name) ? [] : [line],
    ),
    ...proofs.flatMap((proof) => {
      const problem = complaint(proof);
      return problem === undefined ? [] : [`- \`${proof.subject.name}\`: ${problem}`];
    }),
  ];
  const lines = [
    "# Proof",
    "",
    "A conformance suite is worth what it catches and what it lets pass. `npm run proof` runs every rule against",
    "every fault and every conforming variant of the reference receiver and writes this page. The last column names the",
    "commit that a row is of; a row without one is older. `npm run proof -- --outdated` proves what has changed since.",
    "",
    "Each fault and variant has a receiver of its own, and runs the cases that it can change. Which these are is computed: it answers",
    "all requests of a clean run again, and each answer is compared with the conforming receiver's. A case is taken from the clean run",
    "if all that it read of the answers is equal. Where something differs, its rule judges it again by the new answers, through the",
    "probe that sends requests in a run; the case runs if it would send another request, or if it comes out otherwise. Of the cases",
    "that came out the same, one in twenty runs nevertheless, and of those that read nothing new, one in a hundred, drawn anew each",
    "time. Where a profile says that answers are read otherwise, all cases are judged again as it says. Where nothing can be computed,",
    "all cases run: for faults of requests that overlap, for receivers to which a profile sends other requests, and where the proof does",
    "not hold. The steps of an authorization server are asked again likewise: a case about it runs where its requests, or others that it",
    "rests on, are treated otherwise; all of them run where the metadata, the start or the browser of a person is concerned.",
    "`npm run proof -- --whole` runs all cases with each.",
    "",
    `${RULES.length} rules, ${FAULTS.length} faults, ${VARIANTS.length} conforming variants.`,
    wrong.length === 0
      ? "Every fault is caught by its own rule and blamed on no other; no variant fails."
      : `${wrong.length} of them do not come out as they should:`,
    ...wrong,
    "",
    ...exploredLines(readMeasured()),
    "## Faults, by the rule that catches them",
  ];
  for (const rule of RULES) {
    const faults = FAULTS.filter((fault) => fault.rule === rule.id);
    lines.push("", `### ${rule.id}`, "", `${rule.title} (${rule.level}).`, "");
    if (faults.length === 0) {
      lines.push("No fault proves this rule.");
      continue;
    }
    lines.push(
      ...row("fault", "what is wrong", "how it comes about", "seen by", "of"),
      "|---|---|---|---|---|",
    );
    for (const { name, title, how, source, observed } of faults) {
      const proof = byName.get(`fault ${name}`);
      const reason = source === undefined ? how : `${how} ${source}`;
      const seen = proof && (observed === undefined ? seenBy(proof, rule.id) : `"${observed}"`);
      const [known = NOT_RUN, of = ""] = cells.get(name) ?? [];
      lines.push(...row(`\`${name}\``, title, reason, seen ?? known, proof ? commit : of));
    }
  }
  lines.push(
    "",
    "## Conforming variants",
    "",
    ...row("variant", "what is different", "verdict", "of"),
    "|---|---|---|---|",
  );
  for (const { name, title } of VARIANTS) {
    const proof = byName.get(`variant ${name}`);
    const [known = NOT_RUN, of = ""] = cells.get(name) ?? [];
    // A part of the cases gives the verdict partial.
    const verdict = proof && (complaint(proof) === undefined ? "conformant" : proof.verdict);
    lines.push(...row(`\`${name}\``, title, verdict ?? known, proof ? commit : of));
  }
  return `${lines.join("\n")}\n`;
}

/** What exploration alone shows of the faults, without the cases that were made for them. */
function exploredLines({ faults, walks }: Measured): string[] {
  const all = [faults, walks].filter((one) => one !== undefined);
  if (all.length === 0) return [];
  return [
    "## Without the cases that were made for a fault",
    "",
    "What exploration alone shows of faults, which knows none of the mutations of the rules; `npm run explore` measures it, and",
    "[exploration.md](exploration.md) has each fault.",
    "",
    ...all.flatMap((one) => [
      `With ${counted(one.requests, "request")} each: ${toldBySeed(one)} of ${one.left.length} faults.`,
      "",
      ...ruleTable(one),
      "",
    ]),
  ];
}

/**
 * The faults and variants of which a page says nothing, or something else than they say of themselves, those that no proof has run
 * with, and those whose row is of a commit after which their rule or they were changed.
 * @param unproven the page as it would be without any proof
 * @param subjects every fault and variant that the page is about
 * @param changes what has changed since a commit; default: nothing has
 */
export function outdatedRows(
  page: string,
  unproven: string,
  subjects: readonly { readonly name: string; readonly rule?: string }[],
  changes?: Changes,
): string[] {
  const known = new Set(page.split("\n"));
  const cells = lastCells(page);
  const unsaid = unproven
    .split("\n")
    .flatMap((line) => (known.has(line) ? [] : (/^\| `([^`]+)` \|/.exec(line)?.[1] ?? [])));
  const older = subjects.filter(({ name, rule }) => {
    const [last, commit = ""] = cells.get(name) ?? [];
    return last === NOT_RUN || (changes?.since(commit, name, rule) ?? false);
  });
  return [...new Set([...unsaid, ...older.map(({ name }) => name)])];
}

/** The faults and variants of the contract whose row in `docs/proof.md` is outdated; see `outdatedRows`. */
export function outdatedIn(page: string, changes?: Changes): string[] {
  return outdatedRows(page, proofDocument([], page), [...FAULTS, ...VARIANTS], changes);
}

/** The last two cells of each row of a page, by the fault or variant in its first one. */
export function lastCells(
  page: string,
): ReadonlyMap<string, readonly [last: string, commit: string]> {
  const rows = page.matchAll(/^\| `([^`]+)` \|.* \| ([^|]*) \| ([^|]*) \|$/gm);
  return new Map([...rows].map(([, name = "", cell = "", of = ""]) => [name, [cell, of]]));
}

/** How many cases of the rule saw the fault, and which other rules did. */
function seenBy({ seen, open }: Proof, own: string): string {
  const cases = seen.filter(({ rule }) => rule === own);
  const others = rulesOf(seen).filter((rule) => rule !== own);
  if (cases.length === 0) return rulesOf(open).includes(own) ? "inconclusive" : "MISSED";
  const [first] = cases;
  const more = cases.length > 1 ? ` and ${cases.length - 1} more` : "";
  const alone = others.length === 0 ? "" : `; also ${others.join(", ")}`;
  return `${first?.outcome}: ${first?.id.slice(own.length + 1)}${more}${alone}`;
}

/** A row of a table in Markdown. */
export function row(...cells: readonly string[]): [string] {
  return [
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
  ];
}
