import { casesOf, type Remaining } from "./report.ts";
import { type StoredCase, type StoredReport, storedWithPacks } from "./stored.ts";

export interface Remainder {
  readonly remaining: readonly Remaining[];
  /** Those of the cases that failed, but not in every try. They remain until a whole run has passed them. */
  readonly carried: readonly string[];
}

/** How much a run looked at: a choice of cases, everything that needs no write, or everything. */
const EXTENTS = ["part", "reads", "whole"] as const;
type Extent = (typeof EXTENTS)[number];

/** The codes of cases that a run did not reach. */
const CUT_SHORT: ReadonlySet<string> = new Set(["time-limit", "lost-time", "bail"]);

/** Whether a case was not reached, because its run ended early. */
export function isCutShort({ code }: { readonly code?: string | undefined }): boolean {
  return code !== undefined && CUT_SHORT.has(code);
}

/** How much of what it could have looked at a run did look at. */
export function extentOf(report: StoredReport): Extent {
  const { interrupted = false, suiteErrors = [], partial = false, plan } = report;
  const isChosen = plan ? plan.patterns.length > 0 || plan.only !== undefined : partial;
  const isUnfinished =
    interrupted ||
    suiteErrors.length > 0 ||
    storedWithPacks(report).flatMap(casesOf).some(isCutShort);
  if (isChosen || isUnfinished) return "part";
  return plan?.facts?.readOnly ? "reads" : "whole";
}

/** Whether a run replaces the record of another one, because it looked at as much. A part replaces nothing. */
export function replaces(report: StoredReport, former: StoredReport): boolean {
  const [extent, other] = [extentOf(report), extentOf(former)];
  return extent !== "part" && EXTENTS.indexOf(extent) >= EXTENTS.indexOf(other);
}

/** Whether the exchanges of a report tell what is left to do after its run. */
export function restsOnExchanges(report: StoredReport): boolean {
  return (
    report.remaining === undefined && mustsOf(report).some(({ outcome }) => UNSETTLED.has(outcome))
  );
}

/** What is left to do after the run of a report. */
export function remainderOf(report: StoredReport): Remainder {
  const carried = [...new Set([...(report.carried ?? []), ...flakyFailures(report)])];
  const remaining = report.remaining ?? ownRemaining(report);
  const names = new Set(remaining.map((one) => one.case));
  const passed = carried.filter((name) => !names.has(name)).map((name) => ({ case: name }));
  return { remaining: [...remaining, ...passed], carried };
}

/**
 * What is left to do after the run of a part: what was left before it, minus what it settled, and what it found.
 * A run in which the suite itself was at fault settles nothing.
 */
export function remainderAfter(before: Remainder, report: StoredReport): Remainder {
  const own = ownRemaining(report);
  const { carried } = before;
  const isTrusted = (report.suiteErrors ?? []).length === 0;
  const done = new Set([
    ...storedWithPacks(report)
      .flatMap(casesOf)
      .flatMap(({ id, outcome }) => (isTrusted && SETTLED.has(outcome) ? [id] : [])),
    ...own.map((one) => one.case),
  ]);
  const still = before.remaining.filter((one) => !done.has(one.case) || carried.includes(one.case));
  const names = new Set(still.map((one) => one.case));
  return { remaining: [...still, ...own.filter((one) => !names.has(one.case))], carried };
}

/** The cases whose exchanges a case was judged by, as a rule about all answers is. */
export function provokersOf(report: StoredReport, { id, evidence }: StoredCase): string[] {
  const names = new Set(casesOf(report).map((one) => one.id));
  const senders = (evidence?.probes ?? []).map((name) => report.exchanges?.[name]?.caseId ?? "");
  return [...new Set(senders)].filter((name) => name !== id && names.has(name));
}

/** The MUST cases of the contract and of all packs. */
export function mustsOf(report: StoredReport): StoredCase[] {
  const all = storedWithPacks(report).flatMap(casesOf);
  return all.filter(({ level = "MUST" }) => level === "MUST");
}

/** Outcomes of a MUST that another run could change, and for which a run does not exit 0. */
const UNSETTLED: ReadonlySet<string> = new Set(["fail", "inconclusive"]);
/** Outcomes after which a case is no longer left to do. */
const SETTLED: ReadonlySet<string> = new Set(["pass", "warn", "observed", "not-applicable"]);

function ownRemaining(report: StoredReport): Remaining[] {
  return storedWithPacks(report).flatMap((part) =>
    casesOf(part)
      .filter(({ level = "MUST", outcome }) => level === "MUST" && UNSETTLED.has(outcome))
      .map((one) => {
        const after = provokersOf(part, one);
        return { case: one.id, ...(after.length > 0 && { after }) };
      }),
  );
}

function flakyFailures(report: StoredReport): string[] {
  return mustsOf(report)
    .filter(({ outcome, flaky }) => outcome === "fail" && flaky)
    .map(({ id }) => id);
}
