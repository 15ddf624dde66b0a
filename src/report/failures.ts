import { requirement } from "../contract/requirements.ts";
import type { Exchange } from "../http/exchange.ts";
import { curlCommand, shellWord } from "./curl.ts";
import { newFailures } from "./groups.ts";
import {
  counted,
  field,
  heading,
  LABEL_COLUMNS,
  labelled,
  type Page,
  paragraph,
  toned,
  wrap,
} from "./layout.ts";
import type { Report, ReportCase, ReportRule } from "./report.ts";
import { differenceTexts } from "./text/differences.ts";
import { printable } from "./untrusted.ts";

/** Failures of one rule that are shown in full; the others are named. */
export const IN_FULL = 3;
const ANSWER_CHARACTERS = 160;

/**
 * Every failure, by rule: what the contract demands, what was expected and seen, in what the request
 * differed from an accepted one, and how to send it again.
 * @param report with every text `printable`, but for its exchanges
 */
export function failures(page: Page, report: Report): string[] {
  const failed = newFailures(report);
  const known = report.baseline?.known.length ?? 0;
  if (failed.length + known === 0) return [];
  const lines = failed.flatMap(({ rule, cases }) => [
    "",
    ...ruleHeading(page, rule),
    ...cases.slice(0, IN_FULL).flatMap((one) => ["", ...failure(page, report, rule, one)]),
    ...others(page, rule, cases.slice(IN_FULL)),
  ]);
  const note = "TOKEN stands for the access token, which is never shown; --rule sends a new one.";
  const usesToken = lines.some((line) => line.includes("$TOKEN"));
  return [
    heading(page, "Failures"),
    ...lines,
    ...(known > 0 ? ["", `  ${counted(known, "known failure")}, in the report`] : []),
    ...(usesToken ? ["", ...paragraph(page, 2, note).map(page.colors.dim)] : []),
  ];
}

function ruleHeading(page: Page, rule: ReportRule): string[] {
  return [
    `  ${page.colors.bold(rule.id)}`,
    ...paragraph(page, 2, rule.title),
    ...mainRequirement(rule).flatMap((text) => paragraph(page, 2, `"${text}"`)),
    ...paragraph(page, 2, `(${rule.clause})`).map(page.colors.dim),
  ];
}

/** The sentence of the contract that a rule exists for; none where its main requirement is unknown. */
export function mainRequirement({ requirements: [main] }: ReportRule): string[] {
  return main === undefined ? [] : [requirement(main).text];
}

function failure(page: Page, report: Report, rule: ReportRule, one: ReportCase): string[] {
  const exchange = lastProbe(report, one);
  return [
    `  ${toned(page, "fail", "FAIL")} ${page.colors.bold(one.id)}`,
    ...failureFacts(page, 4, report, rule, one),
    ...(exchange ? labelled(page, 4, "request", curlCommand(exchange)) : []),
    ...labelled(page, 4, "again", [again(report, one)]),
  ];
}

/** What was tried, expected and seen in a case, and in what it differed, each beside its label. */
export function failureFacts(
  page: Page,
  indent: number,
  report: Report,
  rule: ReportRule,
  one: ReportCase,
): string[] {
  const answer = lastProbe(report, one)?.response?.body ?? "";
  const fact = (label: string, text: string): string[] => field(page, indent, label, text);
  const room = page.width - indent - LABEL_COLUMNS;
  const differs = differenceTexts(one.evidence?.differences);
  const [main] = mainRequirement(rule);
  const own = one.requirement !== main && one.requirement;
  return [
    ...(own ? fact("requires", `${own} (${one.clause})`) : []),
    ...(one.title === undefined || one.title === rule.title ? [] : fact("tried", one.title)),
    ...fact("expected", one.expected ?? ""),
    ...fact("actual", one.actual ?? ""),
    ...(one.flaky ? fact("flaky", "two tries of the same case disagreed") : []),
    ...(answer === "" ? [] : fact("answer", broken(printable(answer, ANSWER_CHARACTERS), room))),
    ...labelled(
      page,
      indent,
      "differs",
      differs.flatMap((line) => wrap(line, room)),
    ),
    ...(one.why === undefined ? [] : fact("why", one.why)),
    ...(one.source === undefined ? [] : fact("source", one.source)),
  ];
}

/** JSON has few blanks to break a line at. */
function broken(text: string, room: number): string {
  return text.replaceAll(new RegExp(`(\\S{${room}})(?=\\S)`, "gu"), "$1 ");
}

/** The exchange in which the case was decided. */
export function lastProbe({ exchanges }: Report, { evidence }: ReportCase): Exchange | undefined {
  return exchanges[evidence?.probes.at(-1) ?? ""];
}

/** The arguments that run one case again, on the same deployment with the same inputs. */
export function again({ seed, target: { told = [] } }: Report, { id }: ReportCase): string {
  const words = told.map((word) => (PLAIN.test(word) ? word : shellWord(word)));
  return [...words, "--rule", `'${id}'`, "--seed", seed].join(" ");
}

/** What a shell takes as it is. */
const PLAIN = /^[\w./:@%+=-]+$/;

function others(page: Page, rule: ReportRule, cases: readonly ReportCase[]): string[] {
  if (cases.length === 0) return [];
  const names = cases.map(({ id }) => id.slice(rule.id.length + 1)).join(", ");
  return [
    "",
    `  ${toned(page, "fail", "FAIL")} ${counted(cases.length, "more case")} of ${rule.id}`,
    ...paragraph(page, 4, names),
  ];
}
