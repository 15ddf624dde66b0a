import { sideOfId } from "../contract/ids.ts";
import { requirement } from "../contract/requirements.ts";
import { counted } from "../lib/words.ts";
import { again, answersInOrder, byHand } from "./commands.ts";
import { foldCommand } from "./curl.ts";
import { differencesOf, lastProbe } from "./evidence.ts";
import { byMutation, measurements, newFailures, type RuleCases } from "./groups.ts";
import {
  atMost,
  field,
  fields,
  heading,
  LABEL_COLUMNS,
  labelled,
  type Page,
  paragraph,
  toned,
  wrap,
} from "./layout.ts";
import type { Report, ReportCase, ReportRule } from "./report.ts";
import { diagnosisTexts } from "./text/diagnosis.ts";
import { differenceTexts } from "./text/differences.ts";
import { factTexts } from "./text/facts.ts";
import { aboutCase, notHeld } from "./text/not-held.ts";
import { printable } from "./untrusted.ts";

/** Number of failures of one rule that are shown in full; the others are only named. */
export const IN_FULL = 3;
/** Limits without `--verbose`: rules whose first failure is shown, and lines of case names. */
const RULES_SHOWN = 5;
const NAME_LINES = 2;
/** Limit for the names and titles of a rule's other failures at the authorization server. */
const TITLE_LINES = 8;
const ANSWER_CHARACTERS = 160;

/**
 * Every rule that failed, the worst first: what the contract requires, the diagnosis, what was expected and seen, how the
 * request differed from an accepted one, and the command that sends it again.
 * @param report with every text `printable`, except in its exchanges
 * @param verbose also shows more failures of each rule, the answers, and the requests as `curl`
 */
export function failures(page: Page, report: Report, verbose: boolean): string[] {
  const failed = newFailures(report);
  const known = report.baseline?.known.length ?? 0;
  if (failed.length + known === 0) return [];
  const told = verbose ? failed : failed.slice(0, RULES_SHOWN);
  const lines = told.flatMap((one) => ruleFailures(page, report, one, verbose));
  return [
    heading(page, "Failures"),
    ...lines,
    ...failed.slice(told.length).flatMap((one) => ["", ...ruleHead(page, report, one)]),
    ...(known > 0 ? ["", `  ${counted(known, "known failure")}, in the report`] : []),
  ];
}

function ruleFailures(
  page: Page,
  report: Report,
  { rule, cases }: RuleCases,
  verbose: boolean,
): string[] {
  const shown = cases.slice(0, verbose ? IN_FULL : 1);
  return [
    "",
    ...ruleHead(page, report, { rule, cases }),
    ...measurements(report, rule.id).flatMap(({ title, value }) =>
      field(page, 4, "observed", `${title}: ${value}`),
    ),
    ...shown.flatMap((one, index) => [
      ...(index > 0 ? [""] : []),
      ...failure(page, report, rule, one, verbose),
    ]),
    ...furtherFailures(page, rule.id, cases.slice(shown.length), verbose),
  ];
}

/** The rule, the number of its failures, what the contract requires, and the probable cause. */
function ruleHead(page: Page, report: Report, { rule, cases }: RuleCases): string[] {
  const required = mainRequirement(rule);
  return [
    `  ${toned(page, "fail", "FAIL")} ${page.colors.bold(rule.id)}  ${page.colors.dim(counted(cases.length, "case"))}`,
    ...(required.length === 0 ? paragraph(page, 2, notHeld(rule.title)) : []),
    ...required.flatMap((text) => paragraph(page, 2, `"${text}" (${rule.clause})`)),
    ...diagnosis(page, 4, report, rule.id),
  ];
}

/** What the run shows by itself, with a label. */
function seenFacts(page: Page, indent: number, report: Report, rule: string): string[] {
  return factTexts(report, rule).flatMap((text, index) =>
    field(page, indent, index === 0 ? "seen" : "", text),
  );
}

/** What the run shows by itself, and the known faults that the failures of a rule resemble, or that none fits, with labels. */
export function diagnosis(page: Page, indent: number, report: Report, rule: string): string[] {
  const likely = diagnosisTexts(report, rule).flatMap((text, index) =>
    field(page, indent, index === 0 ? "probably" : "", text),
  );
  return [...seenFacts(page, indent, report, rule), ...likely];
}

/** The main requirement of a rule as a sentence of the contract; empty when it is unknown. */
export function mainRequirement({ requirements: [main] }: ReportRule): string[] {
  return main === undefined ? [] : [requirement(main).text];
}

function failure(
  page: Page,
  report: Report,
  rule: ReportRule,
  one: ReportCase,
  verbose: boolean,
): string[] {
  const room = page.width - 4 - LABEL_COLUMNS;
  return [
    ...field(page, 4, "case", one.id),
    ...failureFacts(page, 4, report, rule, one, verbose),
    ...fields(page, 4, { answers: answersInOrder(report, one) }),
    ...(verbose ? labelled(page, 4, "request", byHand(report, one)) : []),
    ...labelled(page, 4, "again", foldCommand(again(report, one), room)),
  ];
}

/**
 * The facts of a failed case with their labels: what was tried, expected and seen, and the differences.
 * @param whole whether to include the answer and why it is wrong; default: true
 */
export function failureFacts(
  page: Page,
  indent: number,
  report: Report,
  rule: ReportRule,
  one: ReportCase,
  whole = true,
): string[] {
  const answer = whole ? lastProbe(report, one)?.response?.body : undefined;
  const room = page.width - indent - LABEL_COLUMNS;
  const differs = differenceTexts(differencesOf(report, one));
  const [main] = mainRequirement(rule);
  const own = one.requirement !== main && one.requirement;
  const about = aboutCase(rule, one);
  return [
    ...fields(page, indent, {
      requires: own ? `${own} (${one.clause})` : undefined,
      tried: about.tried,
      "not held": about.notHeld,
      expected: one.expected ?? "",
      actual: one.actual ?? "",
      flaky: one.flaky ? "two tries of the same case disagreed" : undefined,
      answer: answer ? printable(answer, ANSWER_CHARACTERS) : undefined,
    }),
    ...labelled(
      page,
      indent,
      "differs",
      differs.flatMap((line) => wrap(line, room)),
    ),
    ...fields(page, indent, { why: whole ? one.why : undefined, source: one.source }),
  ];
}

/** The facts of a case that warned, with their labels. */
export function warningFacts(page: Page, one: ReportCase): string[] {
  const { expected = "", actual = "", why, source } = one;
  return fields(page, 0, { expected, actual, why, source });
}

/**
 * The other failures of a rule, grouped by mutation: `and 5 more: null (4), empty`. Those of a rule about the authorization
 * server have their titles, because one such rule is about many things: a name does not tell a minor one from a grave one.
 */
function furtherFailures(
  page: Page,
  ruleId: string,
  cases: readonly ReportCase[],
  verbose: boolean,
): string[] {
  if (cases.length === 0) return [];
  const found = [...byMutation(cases)].map(([name, [{ title = "" }, ...others]]) => ({
    name: others.length > 0 ? `${name} (${others.length + 1})` : name,
    title,
  }));
  const more = `and ${cases.length} more`;
  if (sideOfId(ruleId) === "authorization-server") {
    const titles = found.flatMap(({ name, title }) => paragraph(page, 6, `${name}: "${title}"`));
    const head = paragraph(page, 4, `${more}, where this does not hold:`);
    return atMost([...head, ...titles], verbose ? Infinity : TITLE_LINES);
  }
  const names = found.map(({ name }) => name).join(", ");
  return atMost(paragraph(page, 4, `${more}: ${names}`), verbose ? Infinity : NAME_LINES);
}
