import { counted } from "../lib/counted.ts";
import { newFailures, type Placed, warningGroups, within } from "./groups.ts";
import type { Report } from "./report.ts";
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
    ...commands("notice", notices(shown)),
  ].join("");
}

function errors(report: Report): Annotation[] {
  return [
    ...report.suiteErrors.map((message) => ({ title: "A fault of the suite itself", message })),
    ...(report.baseline?.stale ?? []).map(({ case: id, why }) => ({
      title: `${report.baseline?.file}: ${id}`,
      message: `${id} ${why}`,
    })),
    ...newFailures(report).map(({ rule, cases }) =>
      annotation(
        report,
        cases.map((one) => ({ rule: rule.id, one })),
      ),
    ),
  ];
}

function warnings(report: Report): Annotation[] {
  return [
    ...report.setup.map(({ problem, remedy }) => ({
      title: "Set-up",
      message: `${problem}\n${remedy}`,
    })),
    ...(report.verdict === "incomplete"
      ? [{ title: "Incomplete", message: report.verdictText }]
      : []),
    ...warningGroups(report).map((cases) => annotation(report, cases)),
  ];
}

function notices({ verdict, verdictText }: Report): Annotation[] {
  return verdict === "partial" ? [{ title: "Partial", message: verdictText }] : [];
}

/** One annotation for several cases of a rule, with the facts of the first one. */
function annotation(report: Report, cases: readonly Placed[]): Annotation {
  const [first] = cases;
  const rule = report.rules.find(({ id }) => id === first?.rule);
  return {
    title: `${rule?.id}: ${counted(cases.length, "case")}`,
    message: [
      rule?.title,
      ...report.diagnoses
        .filter((diagnosis) => diagnosis.rule === rule?.id)
        .map(({ behaves }) => `looks like a receiver that ${behaves}`),
      `expected: ${first?.one.expected ?? ""}`,
      `actual: ${first?.one.actual ?? ""}`,
      `cases: ${cases.map(within).join(", ")}`,
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
