import { RULES } from "../../suites/index.ts";
import { FAULTS, VARIANTS } from "../reference/index.ts";
import { complaint, type Proof, rulesOf } from "./prove.ts";

/**
 * The text of `docs/proof.md`: which rule catches which fault, and that no variant fails.
 * @param before the page as it is, which is believed for what has no proof now; default: an empty one
 */
export function proofDocument(proofs: readonly Proof[], before = ""): string {
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
    "every fault and every conforming variant of the reference receiver and writes this page. Faults that do not hide",
    "one another share a receiver; `npm run proof -- --alone` gives each fault a receiver of its own.",
    "",
    `${RULES.length} rules, ${FAULTS.length} faults, ${VARIANTS.length} conforming variants.`,
    wrong.length === 0
      ? "Every fault is caught by its own rule and blamed on no other; no variant fails."
      : `${wrong.length} of them do not come out as they should:`,
    ...wrong,
    "",
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
      ...row("fault", "what is wrong", "how it comes about", "seen by"),
      "|---|---|---|---|",
    );
    for (const { name, title, how, source, observed } of faults) {
      const proof = byName.get(`fault ${name}`);
      const reason = source === undefined ? how : `${how} ${source}`;
      const seen = proof && (observed === undefined ? seenBy(proof, rule.id) : `"${observed}"`);
      lines.push(...row(`\`${name}\``, title, reason, seen ?? cells.get(name) ?? "not run"));
    }
  }
  lines.push(
    "",
    "## Conforming variants",
    "",
    ...row("variant", "what is different", "verdict"),
    "|---|---|---|",
  );
  for (const { name, title } of VARIANTS) {
    const verdict = byName.get(`variant ${name}`)?.verdict ?? cells.get(name);
    lines.push(...row(`\`${name}\``, title, verdict ?? "not run"));
  }
  return `${lines.join("\n")}\n`;
}

/** The faults and variants of which a page says nothing, or something else than they say of themselves. */
export function outdatedIn(page: string): string[] {
  const known = new Set(page.split("\n"));
  const lines = proofDocument([], page).split("\n");
  return lines.flatMap((line) =>
    known.has(line) ? [] : (/^\| `([^`]+)` \|/.exec(line)?.[1] ?? []),
  );
}

/** The last cell of each row of a page, by the fault or variant in its first one. */
function lastCells(page: string): ReadonlyMap<string, string> {
  const rows = page.matchAll(/^\| `([^`]+)` \|.* \| ([^|]*) \|$/gm);
  return new Map([...rows].map(([, name = "", cell = ""]) => [name, cell]));
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

function row(...cells: readonly string[]): [string] {
  return [
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
  ];
}
