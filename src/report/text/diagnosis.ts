import { sideOfId } from "../../contract/ids.ts";
import type { Diagnosis } from "../../engine/events.ts";
import { isCutShort } from "../remaining.ts";
import type { Report, ReportRule } from "../report.ts";

/** What has the faults that a rule is about, with its article. */
export function whatIs(rule: string): string {
  return sideOfId(rule) === "authorization-server" ? "an authorization server" : "a receiver";
}

/** The behaviour of a receiver, or of an authorization server, with a known fault, as a sentence without its full stop. */
export function behaviour({ rule, behaves }: Diagnosis, another: boolean): string {
  return another ? `Or like one that ${behaves}` : `Behaves like ${whatIs(rule)} that ${behaves}`;
}

/**
 * The known faults that the failures of a rule resemble, one text each. For a rule that failed without one,
 * a text that says so.
 */
export function diagnosisTexts(report: Report, rule: string): string[] {
  const { rules, diagnoses } = report;
  const found = diagnoses.filter((one) => one.rule === rule);
  if (found.length > 0) {
    return found.map((one, index) => {
      const source = one.source === undefined ? "" : ` ${one.source}`;
      return `${behaviour(one, index > 0)} (${one.fault}). ${one.look}${source}`;
    });
  }
  const failed = rules.find(({ id, outcome }) => id === rule && outcome === "fail");
  return failed ? [unexplainedText(report, failed)] : [];
}

/** Why no known fault is named for a rule that failed. */
export function unexplainedText(
  { interrupted }: Pick<Report, "interrupted">,
  { cases }: ReportRule,
): string {
  return interrupted || cases.some(isCutShort)
    ? "The run ended before it judged the other cases of this rule, which tell the known faults apart."
    : "No known fault fits these failures.";
}
