import { requirement } from "../contract/requirements.ts";
import { curlCommand } from "./curl.ts";
import { counted, field, heading, labelled, type Page, paragraph, toned, wrap } from "./layout.ts";
import type { Report, ReportCase, ReportRule } from "./report.ts";
import { printable } from "./untrusted.ts";

/** Failures of one rule that are shown in full; the others are named. */
const IN_FULL = 3;
const ANSWER_CHARACTERS = 160;

/**
 * Every failure, by rule: what the contract demands, what was expected and seen, in what the request
 * differed from an accepted one, and how to send it again.
 * @param report with every text `printable`, but for its exchanges
 */
export function failures(page: Page, report: Report): string[] {
  const failed = report.rules.flatMap((rule) => {
    const cases = rule.cases.filter(({ outcome }) => outcome === "fail");
    return cases.length > 0 ? [{ rule, cases }] : [];
  });
  if (failed.length === 0) return [];
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
    ...(usesToken ? ["", ...paragraph(page, 2, note).map(page.colors.dim)] : []),
  ];
}

function ruleHeading(page: Page, rule: ReportRule): string[] {
  const [main] = rule.requirements;
  return [
    `  ${page.colors.bold(rule.id)}`,
    ...paragraph(page, 2, rule.title),
    ...(main === undefined ? [] : paragraph(page, 2, `"${requirement(main).text}"`)),
    ...paragraph(page, 2, `(${rule.clause})`).map(page.colors.dim),
  ];
}

function failure(page: Page, report: Report, rule: ReportRule, one: ReportCase): string[] {
  const exchange = report.exchanges[one.evidence?.probes.at(-1) ?? ""];
  const answer = exchange?.response?.body ?? "";
  return [
    `  ${toned(page, "fail", "FAIL")} ${page.colors.bold(one.id)}`,
    ...(one.title === undefined || one.title === rule.title
      ? []
      : field(page, 4, "tried", one.title)),
    ...field(page, 4, "expected", one.expected ?? ""),
    ...field(page, 4, "actual", one.actual ?? ""),
    ...(answer === "" ? [] : field(page, 4, "answer", printable(answer, ANSWER_CHARACTERS))),
    ...labelled(page, 4, "differs", differences(page, one)),
    ...(exchange ? labelled(page, 4, "request", curlCommand(exchange)) : []),
    ...labelled(page, 4, "again", [`--rule '${one.id}' --seed ${report.seed}`]),
  ];
}

/** The one thing that differed, but for what the title has said already. */
function differences(page: Page, { title, evidence }: ReportCase): string[] {
  const lines = (evidence?.difference ?? []).filter((line) => line !== title);
  return lines.flatMap((line) => wrap(line, page.width - 14));
}

function others(page: Page, rule: ReportRule, cases: readonly ReportCase[]): string[] {
  if (cases.length === 0) return [];
  const names = cases.map(({ id }) => id.slice(rule.id.length + 1)).join(", ");
  return [
    "",
    `  ${toned(page, "fail", "FAIL")} ${counted(cases.length, "more case")} of ${rule.id}`,
    ...paragraph(page, 4, names),
  ];
}
