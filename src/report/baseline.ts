import leven from "leven";

import type { Outcome, Verdict } from "../engine/events.ts";
import { verdictOf } from "../engine/judge.ts";
import type { BaselineNote, Report, ReportCase } from "./report.ts";

/** A case that may fail for now. */
export interface KnownFailure {
  /** `<rule id>/<case id>` */
  readonly case: string;
  readonly reason: string;
  /** `YYYY-MM-DD`, the last day on which it may fail; without one it may until it is fixed. */
  readonly expires?: string | undefined;
}

/** What stands for a reason that nobody has written yet. */
export const UNWRITTEN_REASON = "TODO: why may this fail for now, and until when?";

/** Whether a reason is still to be written. */
export function isUnwritten(reason: string): boolean {
  return /^\s*TODO\b/i.test(reason);
}

const UNJUDGED: readonly Outcome[] = ["inconclusive", "not-provisioned", "not-applicable"];

/**
 * A run's failures beside those that are known. An entry must go when its case was judged and did not
 * fail, when its date has passed on the day of the run, or when there is no such case; what the run
 * did not judge is left alone.
 * @param file as it was named
 * @param caseIds of every case that the target has, selected or not
 */
export function compareWithBaseline(
  file: string,
  entries: readonly KnownFailure[],
  report: Pick<Report, "rules" | "startedAt">,
  caseIds: readonly string[],
): BaselineNote {
  const cases = casesOf(report);
  const today = report.startedAt.slice(0, "YYYY-MM-DD".length);
  const judged = entries.map((entry) => {
    const why = whyStale(entry, cases.get(entry.case)?.outcome, caseIds, today);
    return { entry, why, failed: cases.get(entry.case)?.outcome === "fail" };
  });
  const inBaseline = new Set(entries.map((entry) => entry.case));
  const unjudged = judged.filter(({ why, failed }) => why === undefined && !failed).length;
  return {
    file,
    known: judged.flatMap(({ entry, why, failed }) => (failed && why === undefined ? [entry] : [])),
    unknown: [...cases.values()]
      .filter(({ id, outcome }) => outcome === "fail" && !inBaseline.has(id))
      .map(({ id }) => id),
    stale: judged.flatMap(({ entry, why }) =>
      why === undefined ? [] : [{ case: entry.case, why }],
    ),
    ...(unjudged > 0 && { unjudged }),
  };
}

function casesOf({ rules }: Pick<Report, "rules">): Map<string, ReportCase> {
  return new Map(rules.flatMap((rule) => rule.cases.map((one) => [one.id, one] as const)));
}

function whyStale(
  { case: id, expires }: KnownFailure,
  outcome: Outcome | undefined,
  caseIds: readonly string[],
  today: string,
): string | undefined {
  if (!isOver(id, outcome, caseIds)) {
    return expires !== undefined && expires < today
      ? `might fail until ${expires} only`
      : undefined;
  }
  if (outcome !== undefined) return `does not fail any more: ${outcome}`;
  const [nearest = ""] = caseIds.toSorted((a, b) => leven(a, id) - leven(b, id));
  return `is no case of this target${leven(nearest, id) <= 3 ? `; did you mean ${nearest}?` : ""}`;
}

/** The verdict by which a run exits: that of the report, as if known failures were not there. */
export function verdictBeside(report: Report, { known, unknown, stale }: BaselineNote): Verdict {
  if (unknown.length > 0 || stale.length > 0) return "non-conformant";
  const allowed = new Set(known.map((one) => one.case));
  return verdictOf([...casesOf(report).values()].filter(({ id }) => !allowed.has(id)));
}

/**
 * The baseline that fits a run: its failures, and the entries that it did not judge. What is written
 * of a failure already, reason and date, is kept.
 */
export function updatedBaseline(
  entries: readonly KnownFailure[],
  report: Pick<Report, "rules">,
  caseIds: readonly string[],
): KnownFailure[] {
  const cases = casesOf(report);
  const inBaseline = new Set(entries.map((entry) => entry.case));
  return [
    ...entries.filter((entry) => !isOver(entry.case, cases.get(entry.case)?.outcome, caseIds)),
    ...[...cases.values()]
      .filter(({ id, outcome }) => outcome === "fail" && !inBaseline.has(id))
      .map(({ id }) => ({ case: id, reason: UNWRITTEN_REASON })),
  ];
}

/** Whether there is nothing any more that could fail, whatever the date. */
function isOver(id: string, outcome: Outcome | undefined, caseIds: readonly string[]): boolean {
  if (outcome === undefined) return !caseIds.includes(id);
  return outcome !== "fail" && !UNJUDGED.includes(outcome);
}
