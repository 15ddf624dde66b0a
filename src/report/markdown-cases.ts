import { counted } from "../lib/words.ts";
import { curlCommand, foldCommand } from "./curl.ts";
import { lastProbe } from "./evidence.ts";
import { again, failureFacts, IN_FULL, mainRequirement } from "./failures.ts";
import { code, fence, list, prose } from "./gfm.ts";
import {
  missingKeys,
  newFailures,
  type RuleFailures,
  ruleCounts,
  unjudgedCount,
  unjudgedGroups,
  warningGroups,
  within,
} from "./groups.ts";
import { createPage, field } from "./layout.ts";
import type { Report, ReportCase, ReportRule } from "./report.ts";

const PAGE = createPage(100, false);

/** Failures that no baseline allows, by rule. Each rule is one block, which is never split. */
export function failures(report: Report): string[] {
  const failed = newFailures(report).map((one) => ruleFailures(report, one));
  if (failed.length === 0) return [];
  const note =
    "`TOKEN` stands for the access token, which is never shown; `replay` sends a new one.";
  return [
    "## Failures",
    ...failed,
    ...(failed.some((text) => text.includes("$TOKEN")) ? [note] : []),
  ];
}

function ruleFailures(report: Report, { rule, cases }: RuleFailures): string {
  const more = cases.slice(IN_FULL);
  return [
    `### ${code(rule.id)}`,
    prose(rule.title),
    [...mainRequirement(rule), rule.clause].map((text) => `> ${prose(text)}`).join("\n>\n"),
    ...cases.slice(0, IN_FULL).flatMap((one) => failure(report, rule, one)),
    ...(more.length === 0
      ? []
      : [`${counted(more.length, "more case")}: ${more.map(({ id }) => code(id)).join(", ")}`]),
  ].join("\n\n");
}

function failure(report: Report, rule: ReportRule, one: ReportCase): string[] {
  const exchange = lastProbe(report, one);
  return [
    `**FAIL** ${code(one.id)}`,
    fence("text", failureFacts(PAGE, 0, report, rule, one)),
    ...(exchange ? [fence("sh", curlCommand(exchange))] : []),
    fence("sh", foldCommand(again(report, one), Infinity)),
  ];
}

/** Failures that a baseline allows. */
export function known({ baseline }: Report): string[] {
  const lines = (baseline?.known ?? []).map(({ case: id, reason, expires }) => {
    const until = expires === undefined ? "" : `${prose(`until ${expires}:`)} `;
    return `- ${code(id)}: ${until}${prose(reason)}`;
  });
  return lines.length === 0 ? [] : [["## Known failures", ...list(lines)].join("\n")];
}

/** Violated SHOULDs. */
export function warnings(report: Report): string[] {
  return warningGroups(report).map((members, index) => {
    const [{ rule, one }] = members;
    return [
      ...(index === 0 ? ["## Warnings"] : []),
      `**WARN** ${code(rule)}`,
      fence("text", [
        ...field(PAGE, 0, "expected", one.expected ?? ""),
        ...field(PAGE, 0, "actual", one.actual ?? ""),
        ...(one.why === undefined ? [] : field(PAGE, 0, "why", one.why)),
        ...(one.source === undefined ? [] : field(PAGE, 0, "source", one.source)),
        ...field(PAGE, 0, "cases", members.map(within).join(", ")),
      ]),
    ].join("\n\n");
  });
}

/** The cases that were not judged, and the profile keys that would change that. */
export function unjudged(report: Report): string[] {
  const groups = unjudgedGroups(report);
  if (groups.length === 0) return [];
  const keys = missingKeys(report);
  const lines = groups.map(
    (group) =>
      `- ${unjudgedCount(group)}: ${prose(group.reason)}\\\n  ${code(ruleCounts(group.cases))}`,
  );
  const provide = `To judge them, set in the profile: ${keys.map(code).join(", ")}`;
  return [["## Not judged", ...list(lines), ...(keys.length > 0 ? ["", provide] : [])].join("\n")];
}
