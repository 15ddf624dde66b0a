import { counted, uncapitalized } from "../lib/words.ts";
import { differencesOf } from "./evidence.ts";
import { namesOf, newFailures, type RuleCases, warningGroups } from "./groups.ts";
import type { Report } from "./report.ts";
import { firstBlocker } from "./text/blockers.ts";
import { behaviour, isWhole, whatIs } from "./text/diagnosis.ts";
import { differenceTexts } from "./text/differences.ts";
import { aboutCase, notHeld } from "./text/not-held.ts";
import { printableReport } from "./untrusted.ts";
import { type Annotation, workflowCommand } from "./workflow-command.ts";

/** GitHub shows at most this many annotations of each level for a step. */
const SHOWN = 10;

/**
 * A run's report as annotations of GitHub Actions, one workflow command a line. Failed rules are errors,
 * one for each rule; set-up problems and violated SHOULDs are warnings; a partial verdict is a notice.
 */
export function annotations(report: Report): string {
  const shown = printableReport(report);
  return [
    ...commands("error", errors(shown)),
    ...commands("warning", warnings(shown)),
    ...(shown.verdict === "partial"
      ? commands("notice", [{ title: "Partial", message: shown.verdictText }])
      : []),
  ].join("");
}

function errors(report: Report): Annotation[] {
  return [
    ...report.suiteErrors.map((message) => ({ title: "A fault of the suite itself", message })),
    ...(report.baseline?.stale ?? []).map(({ case: id, why }) => ({
      title: `${report.baseline?.file}: ${id}`,
      message: `${id} ${why}`,
    })),
    ...newFailures(report).map((failed) => annotation(report, failed)),
  ];
}

function warnings(report: Report): Annotation[] {
  return [
    ...report.setup.map(({ problem, remedy }) => ({
      title: "Set-up",
      message: `${problem}\n${remedy}`,
    })),
    ...(report.verdict === "incomplete"
      ? [
          {
            title: "Incomplete",
            message: [report.verdictText, firstBlocker(report) ?? []].flat().join("\n"),
          },
        ]
      : []),
    ...warningGroups(report).map((warned) => annotation(report, warned)),
  ];
}

function annotation(report: Report, { rule, cases }: RuleCases): Annotation {
  const [first] = cases;
  const { tried, notHeld: unheld } = aboutCase(rule, first);
  return {
    title: `${rule.id}: ${cases.length} of ${counted(rule.cases.length, "case")}`,
    message: [
      notHeld(rule.title),
      ...report.diagnoses
        .filter((diagnosis) => diagnosis.rule === rule.id)
        .map((one) =>
          isWhole(one)
            ? `looks like ${whatIs(rule.id)} that ${one.behaves}`
            : uncapitalized(behaviour(one, false)),
        ),
      ...(tried === undefined ? [] : [`tried: ${tried}`]),
      ...(unheld === undefined ? [] : [`not held: ${unheld}`]),
      `expected: ${first.expected ?? ""}`,
      `actual: ${first.actual ?? ""}`,
      ...differenceTexts(differencesOf(report, first)).map((one) => `differs: ${one}`),
      `cases: ${namesOf(cases)}`,
    ].join("\n"),
  };
}

/** At most as many commands as GitHub shows; the last one then says how many are left out. */
function commands(level: "error" | "warning" | "notice", all: readonly Annotation[]): string[] {
  if (all.length <= SHOWN) return all.map((one) => workflowCommand(level, one));
  const kept = all.slice(0, SHOWN - 1);
  const more = {
    title: `${all.length - kept.length} more`,
    message: "The summary of the job and report.json have them all.",
  };
  return [...kept, more].map((one) => workflowCommand(level, one));
}
