import { LEVELS } from "../contract/levels.ts";
import { OUTCOMES } from "../engine/events.ts";
import { counted, uncapitalized } from "../lib/words.ts";
import { baselineText } from "./baseline.ts";
import { type Blocker, blockersOf, keysOfAll } from "./blockers.ts";
import { again, answersInOrder, byHand } from "./commands.ts";
import { foldCommand } from "./curl.ts";
import { failureFacts, IN_FULL, mainRequirement, warningFacts } from "./failures.ts";
import { code, fence, LARGEST_SUMMARY, prose } from "./gfm.ts";
import {
  inapplicableGroups,
  observationRows,
  sumOf,
  totals,
  namesOf,
  newFailures,
  type RuleCases,
  ruleCounts,
  warningGroups,
} from "./groups.ts";
import { createPage, deploymentText, table, took, field, fields } from "./layout.ts";
import { isCutShort } from "./remaining.ts";
import {
  type Report,
  type Reporter,
  type ReportCase,
  type ReportRule,
  withPacks,
} from "./report.ts";
import { blockerWords, firstBlocker } from "./text/blockers.ts";
import { behaviour } from "./text/diagnosis.ts";
import { explorationText } from "./text/exploration.ts";
import { shownTexts } from "./text/facts.ts";
import { notHeld } from "./text/not-held.ts";
import { printableReport } from "./untrusted.ts";

const PAGE = createPage(100, false);

/** Markdown for the summary of a CI job, in GitHub's flavour. */
export const markdown: Reporter = {
  file: "report.md",
  render: (report) => markdownSummary(report, LARGEST_SUMMARY),
};

/**
 * A run's report as Markdown: the verdict, notices, then the cases, the worst first. Only a fault of the suite itself
 * comes before the verdict, because it makes the verdict worthless. Text from a target is never interpreted as markup.
 * @param largest in bytes of UTF-8; parts that do not fit are left out, with a note
 */
export function markdownSummary(report: Report, largest: number): string {
  return withinBytes(withPacks(report).flatMap(blocksOf), largest);
}

/** The report of the contract, or of one pack, as blocks. */
function blocksOf(report: Report): string[] {
  const shown = printableReport(report);
  return [
    ...suiteErrors(shown),
    ...verdict(shown),
    ...baseline(shown),
    ...setup(shown),
    ...(shown.verdict === "incomplete" ? blocked(shown) : []),
    ...seenLines(shown),
    ...diagnoses(shown),
    ...failures(shown),
    ...known(shown),
    ...warnings(shown),
    ...(shown.verdict === "incomplete" ? [] : blocked(shown)),
    ...inapplicable(shown),
    ...observations(shown),
  ];
}

function withinBytes(blocks: readonly string[], largest: number): string {
  let room = largest - Buffer.byteLength(leftOut(blocks.length));
  const kept = blocks.filter((text) => {
    const bytes = Buffer.byteLength(text) + 2;
    const fits = bytes <= room;
    if (fits) room -= bytes;
    return fits;
  });
  const left = blocks.length - kept.length;
  if (room < 0) return "";
  return [...kept.map((text) => `${text}\n`), ...(left > 0 ? [leftOut(left)] : [])].join("\n");
}

function leftOut(parts: number): string {
  return `${counted(parts, "part")} left out because there was no room: \`report.json\` has it all.\n`;
}

/** Paragraphs as one block, which is never split. Empty ones are left out. */
function block(...paragraphs: readonly string[]): string {
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

function baseline({ baseline: note }: Report): string[] {
  if (note === undefined) return [];
  const entries = note.stale.map(({ case: id, why }) => `- ${code(id)} ${prose(why)}`);
  return [block(prose(baselineText(note)), entries.join("\n"))];
}

function setup({ setup: problems }: Report): string[] {
  if (problems.length === 0) return [];
  return [
    "## Set-up",
    ...problems.map(({ problem, remedy }) => `- ${prose(problem)}\\\n  ${prose(remedy)}`),
    "`orgsync-conformance doctor` checks the set-up step by step.",
  ];
}

function suiteErrors({ suiteErrors: errors }: Report): string[] {
  if (errors.length === 0) return [];
  const meaning = "Because of these, the verdict is worth nothing. Please report them.";
  return [block("## Faults of the suite itself", meaning, fence("text", errors))];
}

function seenLines(report: Report): string[] {
  const found = shownTexts(report);
  if (found.length === 0) return [];
  const lines = found.map(({ rule, text }) => `- ${code(rule)}: ${prose(text)}`);
  return [block("## What the run shows by itself", lines.join("\n"))];
}

function diagnoses(report: Report): string[] {
  const found = report.diagnoses;
  const left = unexplained(report);
  if (found.length === 0 && left === "") return [];
  const lines = found.map((one, index) => {
    const { rule, look, source = "" } = one;
    const another = found[index - 1]?.rule === rule;
    const like = behaviour(one, another);
    const head = another ? "" : `${code(rule)}: `;
    const said = another ? like : uncapitalized(like);
    return `- ${head}${prose(`${said}.`)}\\\n  Look for: ${prose(`${look} ${source}`)}`;
  });
  return [block("## Diagnosis", lines.join("\n"), prose(left))];
}

function verdict(report: Report): string[] {
  const { verdict: came, verdictText, suite, target, requests, seed, writes } = report;
  const blocker = firstBlocker(report);
  const all = totals(report);
  const columns = OUTCOMES.filter((outcome) => all[outcome] > 0);
  const levels = [
    ...LEVELS.map((level) => [level, report.counts[level]] as const),
    ["all", all] as const,
  ];
  const counts = [
    row(["", ...columns, "all"]),
    row(["---", ...columns.map(() => "---:"), "---:"]),
    ...levels.map(([name, some]) => row([name, ...columns.map((one) => some[one]), sumOf(some)])),
  ];
  return [
    `## ${report.plan.pack === undefined ? suite.name : prose(report.plan.pack)}: ${came}`,
    prose(verdictText),
    ...(blocker === undefined ? [] : [`**What blocks the verdict:** ${prose(blocker)}`]),
    ...(columns.length === 0 ? [] : [counts.join("\n")]),
    `Target ${code(target.baseUrl)}${target.deployment ? `, ${prose(deploymentText(target.deployment))}` : ""}: ${counted(requests, "request")} in ${took(report)}, ${counted(sumOf(writes), "accepted write")}, seed ${seed}.`,
    ...explorationText(report),
  ];
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

function observations(report: Report): string[] {
  const rows = observationRows(report);
  if (rows.length === 0) return [];
  const title = `Observed, never judged: ${counted(rows.length, "thing")} that the contract leaves open`;
  const shown = fence("text", table(PAGE, 0, rows));
  return [block(`<details>\n<summary>${title}</summary>`, shown, "</details>")];
}

/** Names the failed rules that no known fault fits, except where the run ended too early to tell; empty when there are none. */
function unexplained({ rules, diagnoses: named, interrupted }: Report): string {
  const explained = new Set(named.map(({ rule }) => rule));
  const left = rules
    .filter(({ id, outcome }) => outcome === "fail" && !explained.has(id))
    .filter(({ cases }) => !interrupted && !cases.some(isCutShort))
    .map(({ id }) => id);
  return left.length === 0 ? "" : `No known fault fits the failures of ${left.join(", ")}.`;
}

/** Failures that no baseline allows, by rule. Each rule is one block, which is never split. */
function failures(report: Report): string[] {
  const failed = newFailures(report).map((one) => ruleFailures(report, one));
  if (failed.length === 0) return [];
  return ["## Failures", ...failed];
}

function ruleFailures(report: Report, { rule, cases }: RuleCases): string {
  const more = cases.slice(IN_FULL);
  const names = more.map(({ id }) => code(id)).join(", ");
  return block(
    `### ${code(rule.id)}`,
    prose(notHeld(rule.title)),
    [...mainRequirement(rule), rule.clause].map((text) => `> ${prose(text)}`).join("\n>\n"),
    ...cases.slice(0, IN_FULL).flatMap((one) => failure(report, rule, one)),
    names === "" ? "" : `${counted(more.length, "more case")}: ${names}`,
  );
}

function failure(report: Report, rule: ReportRule, one: ReportCase): string[] {
  const sent = byHand(report, one);
  const answers = answersInOrder(report, one);
  return [
    `**FAIL** ${code(one.id)}`,
    fence("text", failureFacts(PAGE, 0, report, rule, one)),
    ...(answers === undefined ? [] : [prose(answers)]),
    ...(sent.length > 0 ? [fence("sh", sent)] : []),
    fence("sh", foldCommand(again(report, one), Infinity)),
  ];
}

function known({ baseline: note }: Report): string[] {
  const lines = (note?.known ?? []).map(({ case: id, reason, expires }) => {
    const until = expires === undefined ? "" : `${prose(`until ${expires}:`)} `;
    return `- ${code(id)}: ${until}${prose(reason)}`;
  });
  return lines.length === 0 ? [] : [block("## Known failures", lines.join("\n"))];
}

function warnings(report: Report): string[] {
  return warningGroups(report).map(({ rule, cases }, index) => {
    const facts = [...warningFacts(PAGE, cases[0]), ...field(PAGE, 0, "cases", namesOf(cases))];
    const title = index === 0 ? "## Warnings" : "";
    return block(title, `**WARN** ${code(rule.id)}`, fence("text", facts));
  });
}

/** What keeps cases from being judged, the blocker first that frees most. */
function blocked(report: Report): string[] {
  const blockers = blockersOf(report);
  if (blockers.length === 0) return [];
  const title = report.verdict === "incomplete" ? "What blocks the verdict" : "Not judged";
  const keys = keysOfAll(blockers);
  return [
    `## ${title}`,
    ...blockers.map((one) => blockerBlock(report, one)),
    ...(keys.length > 0
      ? [`For all of them, the profile needs: ${keys.map(code).join(", ")}`]
      : []),
  ];
}

function blockerBlock(report: Report, blocker: Blocker): string {
  const { what, said, waiting, advice, next } = blockerWords(report, blocker);
  return block(
    `**${prose(what)}**`,
    fence("text", fields(PAGE, 0, { "it says": said && `"${said}"`, cases: waiting, advice })),
    fence("sh", foldCommand(next, Infinity)),
    `<details>\n<summary>${counted(blocker.cases.length, "case")}, by rule</summary>`,
    code(ruleCounts(blocker.cases)),
    "</details>",
  );
}

function inapplicable(report: Report): string[] {
  const groups = inapplicableGroups(report);
  if (groups.length === 0) return [];
  const lines = groups.map(
    ({ reason, cases }) =>
      `- ${counted(cases.length, "case")}: ${prose(reason)}\\\n  ${code(ruleCounts(cases))}`,
  );
  return [block("## Not applicable", lines.join("\n"))];
}
