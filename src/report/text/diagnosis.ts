import { idInRule, sideOfId } from "../../contract/ids.ts";
import { TOGETHER } from "../../engine/conclusion/signatures.ts";
import type { Diagnosis } from "../../engine/events.ts";
import { counted, listed } from "../../lib/words.ts";
import { isCutShort } from "../remaining.ts";
import type { Report, ReportRule } from "../report.ts";

/** What has the faults that a rule is about, with its article. */
export function whatIs(rule: string): string {
  return sideOfId(rule) === "authorization-server" ? "an authorization server" : "a receiver";
}

/**
 * The behaviour of a receiver, or of an authorization server, with a known fault, as a sentence without its full stop. Where the fault does
 * not explain all violations, it says which ones it explains.
 */
export function behaviour(diagnosis: Diagnosis, another: boolean): string {
  const { rule, behaves } = diagnosis;
  const what = `${whatIs(rule)} that ${behaves}`;
  if (isJoined(diagnosis) && diagnosis.leaves?.length === 0) {
    return `Perhaps several faults at once, of which none explains everything: like ${another ? "one" : whatIs(rule)} that ${behaves}`;
  }
  if (isWhole(diagnosis)) return another ? `Or like one that ${behaves}` : `Behaves like ${what}`;
  const like = another ? `Or most like one that ${behaves}` : `Most like ${what}`;
  return `${like}: ${reservation(diagnosis)}`;
}

/** Whether one fault, or the faults of one library, explain all violations of the rule. */
export function isWhole(diagnosis: Diagnosis): boolean {
  return (diagnosis.exact ?? true) && !isJoined(diagnosis);
}

/** Whether several faults are named together, without a library that has them. */
function isJoined({ fault, library }: Diagnosis): boolean {
  return library === undefined && fault.includes(TOGETHER);
}

/** More cases than these are only counted. */
const MOST_LISTED = 3;

/** What a fault explains and what not, as a clause. */
function reservation({ explains = [], leaves = [], rule }: Diagnosis): string {
  const all = explains.length + leaves.length;
  const names = leaves.slice(0, MOST_LISTED).map(idInRule);
  const more = leaves.length - names.length;
  const unexplained = listed([...names, ...(more > 0 ? [`${more} more`] : [])]);
  return `it explains ${explains.length} of ${counted(all, "violated case")} of ${rule}; it does not explain ${unexplained}`;
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
