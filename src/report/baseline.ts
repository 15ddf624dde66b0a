import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import type { Outcome, Verdict } from "../engine/events.ts";
import { UNJUDGED, verdictOf } from "../engine/judge.ts";
import { namesLike } from "../lib/did-you-mean.ts";
import { groupBy } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import { type BaselineNote, casesOf, type Report, type ReportCase } from "./report.ts";

/** A case that may fail for now. */
export interface KnownFailure {
  /** `<rule id>/<case id>`, or `<rule id>/<name>@*` for that case on every operation. */
  readonly case: string;
  readonly reason: string;
  /** `YYYY-MM-DD`, the last day on which it may fail. Default: it may fail until it is fixed. */
  readonly expires?: string | undefined;
  /** The case may pass or fail: passing does not make the entry stale. Default: false. */
  readonly flaky?: boolean | undefined;
}

const UNWRITTEN_REASON = "TODO: why may this fail for now, and until when?";

/** What shows that a reason is not written to its end. The ids of tickets, such as TODO-12, show nothing. */
const UNFINISHED = [
  /\b(?:TODO|FIXME|TBD|XXX)\b(?!-\d)/,
  /^\s*(?:todo|fixme|tbd|xxx)\b(?!-\d)/i,
  /why may this fail|until when\?/i,
  /<(?:why|when|reason|ticket|date|link)\b[^>]*>/i,
  /(?:\.\.\.|…)\s*$/,
  /(?:\b(?:because|since|until|due to|and|or|the|of|for|with)|[:,;])\s*$/i,
  /^[^\p{L}\d]+$/u,
];

/**
 * The part of a reason that shows that it is not written, or only half.
 * @returns `undefined` where nothing shows it
 */
export function unfinishedPart(reason: string): string | undefined {
  for (const pattern of UNFINISHED) {
    const [found] = pattern.exec(reason) ?? [];
    if (found !== undefined) return found.trim();
  }
  return undefined;
}

/**
 * Compares a run's failures with the known ones. An entry must go when its case was judged and did not
 * fail, when it has expired on the day of the run, or when there is no such case. Entries whose cases the
 * run did not judge are left alone.
 * @param file the baseline, as the user named it
 * @param caseIds of every case that the target has, selected or not
 */
export function compareWithBaseline(
  file: string,
  entries: readonly KnownFailure[],
  report: Pick<Report, "rules" | "startedAt">,
  caseIds: readonly string[],
): BaselineNote {
  const today = report.startedAt.slice(0, "YYYY-MM-DD".length);
  const cases = casesOf(report);
  const states = entries.map((entry) => {
    const state = stateOf(entry, cases, caseIds);
    return { entry, state, why: whyStale(entry, state, caseIds, today) };
  });
  const valid = states.filter(({ why }) => why === undefined);
  const validEntries = valid.map(({ entry }) => entry);
  const known = cases.flatMap((one) => {
    const entry = entryFor(one.id, validEntries);
    if (!entry || !(one.outcome === "fail" || (entry.flaky && isTorn(one)))) return [];
    const { reason, expires } = entry;
    return [{ case: one.id, reason, ...(expires !== undefined && { expires }) }];
  });
  const blamed = allowedBy(known, cases).blamed.length;
  const unjudged = valid.filter(({ state }) => state.kind === "unjudged").length;
  return {
    file,
    known,
    unknown: cases
      .filter(({ id, outcome }) => outcome === "fail" && !entryFor(id, entries))
      .map(({ id }) => id),
    stale: states.flatMap(({ entry, why }) =>
      why === undefined ? [] : [{ case: entry.case, why }],
    ),
    ...(blamed > 0 && { blamed }),
    ...(unjudged > 0 && { unjudged }),
  };
}

/** `x/y@viewOrganization` as `x/y@*`. */
function onAllOperations(id: string): string {
  return id.replace(/@[^@/]*$/, "@*");
}

export function covers(entry: Pick<KnownFailure, "case">, id: string): boolean {
  return entry.case === id || entry.case === onAllOperations(id);
}

/** The entry that allows a case to fail; one for an operation precedes one for all. */
function entryFor(id: string, entries: readonly KnownFailure[]): KnownFailure | undefined {
  return entries.find((entry) => entry.case === id) ?? entries.find((entry) => covers(entry, id));
}

/** Whether an entry that has not expired allows a case to fail. */
export function mayFail(id: string, entries: readonly KnownFailure[], today: string): boolean {
  const entry = entryFor(id, entries);
  return entry !== undefined && (entry.expires === undefined || entry.expires >= today);
}

/** Whether two tries of the case disagreed, so that it both failed and passed. */
export function isTorn({ outcome, flaky = false }: ReportCase): boolean {
  return outcome === "inconclusive" && flaky;
}

interface JudgedCase extends Pick<ReportCase, "id" | "level" | "outcome"> {
  readonly operation?: string | undefined;
  readonly blamedOn?: string | undefined;
  readonly code?: string | undefined;
}

export interface JudgedNote {
  readonly known: readonly { readonly case: string }[];
  readonly unknown: readonly unknown[];
  readonly stale: readonly unknown[];
}

/**
 * The failed cases that a baseline allows, and the inconclusive cases that they explain: those that are blamed on them, and
 * those whose write was not sent, because writes that had to be rejected were accepted too often.
 */
export function allowedBy<T extends JudgedCase>(
  known: readonly { readonly case: string }[],
  cases: readonly T[],
): { readonly failed: readonly T[]; readonly blamed: readonly T[] } {
  const ids = new Set(known.map((one) => one.case));
  const failed = cases.filter(({ id }) => ids.has(id));
  const blamed = cases.filter(
    (one) =>
      one.outcome === "inconclusive" &&
      failed.some((failure) => isBlamed(one, failure) || hasUsedUpWrites(one, failure)),
  );
  return { failed, blamed };
}

/** A rule that failed elsewhere is blamed by name. */
function isBlamed({ blamedOn }: JudgedCase, { id }: JudgedCase): boolean {
  return blamedOn !== undefined && id.startsWith(`${blamedOn}/`);
}

function hasUsedUpWrites({ code }: JudgedCase, { operation }: JudgedCase): boolean {
  const id = OPERATION_IDS.find((one) => one === operation);
  return code === "write-limit" && id !== undefined && OPERATIONS[id].writes;
}

/** What a run says of an entry: no such case, one failed, none failed, or not all were judged. */
type EntryState =
  | { readonly kind: "none" | "failed" | "unjudged" }
  | { readonly kind: "held"; readonly outcomes: readonly Outcome[] };

function stateOf(
  entry: KnownFailure,
  cases: readonly ReportCase[],
  caseIds: readonly string[],
): EntryState {
  const judged = cases.filter(({ id }) => covers(entry, id));
  const outcomes = judged.map(({ outcome }) => outcome);
  if (outcomes.includes("fail")) return { kind: "failed" };
  const ids = new Set(judged.map(({ id }) => id));
  const isLeft = caseIds.some((id) => covers(entry, id) && !ids.has(id));
  if (outcomes.length === 0) return { kind: isLeft ? "unjudged" : "none" };
  // A case that does not apply on one operation is judged by the others.
  const applicable = outcomes.filter((outcome) => outcome !== "not-applicable");
  const isOpen = applicable.length === 0 || applicable.some((outcome) => UNJUDGED.has(outcome));
  if (isLeft || isOpen) return { kind: "unjudged" };
  return { kind: "held", outcomes: [...new Set(applicable)] };
}

function whyStale(
  entry: KnownFailure,
  state: EntryState,
  caseIds: readonly string[],
  today: string,
): string | undefined {
  const { case: id, expires } = entry;
  if (state.kind === "none") {
    const known = id.endsWith("@*") ? [...new Set(caseIds.map(onAllOperations))] : caseIds;
    const [nearest] = namesLike(id, known);
    return `is no case of this target${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  }
  if (state.kind === "held" && !entry.flaky) {
    return `no longer fails: ${state.outcomes.join(", ")}`;
  }
  return expires !== undefined && expires < today
    ? `was allowed to fail only until ${expires}`
    : undefined;
}

/**
 * The verdict that decides the exit code: that of the report without known failures, and without the cases
 * that are inconclusive because of them.
 */
export function verdictBeside(
  { rules }: { readonly rules: readonly { readonly cases: readonly JudgedCase[] }[] },
  { known, unknown, stale }: JudgedNote,
): Verdict {
  if (unknown.length > 0 || stale.length > 0) return "non-conformant";
  const cases = casesOf({ rules });
  const { failed, blamed } = allowedBy(known, cases);
  const allowed = new Set([...failed, ...blamed]);
  return verdictOf(cases.filter((one) => !allowed.has(one)));
}

/**
 * A new baseline from a run: its failures, the entries that it did not judge, and flaky entries. Reasons
 * and dates that are already written are kept. A case that held on no operation has one entry for all of them.
 */
export function updatedBaseline(
  entries: readonly KnownFailure[],
  report: Pick<Report, "rules">,
  caseIds: readonly string[],
): KnownFailure[] {
  const cases = casesOf(report);
  const kept = entries.filter((entry) => {
    const { kind } = stateOf(entry, cases, caseIds);
    return kind !== "none" && (kind !== "held" || entry.flaky);
  });
  const added = cases
    .filter(({ id, outcome }) => outcome === "fail" && !entryFor(id, entries))
    .map(({ id }) => (failsEverywhere(id, cases, caseIds) ? onAllOperations(id) : id));
  return [...kept, ...[...new Set(added)].map((id) => ({ case: id, reason: UNWRITTEN_REASON }))];
}

/** Whether a case failed on several operations, and held on none that the target has. */
function failsEverywhere(
  id: string,
  cases: readonly ReportCase[],
  caseIds: readonly string[],
): boolean {
  const all = caseIds.filter((one) => onAllOperations(one) === onAllOperations(id));
  const outcomes = new Map(cases.map((one) => [one.id, one.outcome]));
  const seen = all.map((one) => outcomes.get(one));
  return (
    seen.filter((outcome) => outcome === "fail").length > 1 &&
    seen.every((outcome) => outcome === "fail" || (outcome !== undefined && UNJUDGED.has(outcome)))
  );
}

/** Cases that may fail for one reason: an entry of the file. */
export interface BaselineEntry extends Omit<KnownFailure, "case"> {
  readonly case: readonly string[];
}

/** The known failures as entries: those of one rule that have everything else in common are one. */
export function inEntries(known: readonly KnownFailure[]): BaselineEntry[] {
  const groups = groupBy(known, ({ case: id, ...rest }) =>
    JSON.stringify([id.split("/", 1), rest.reason, rest.expires, rest.flaky]),
  );
  return [...groups.values()].map(([first, ...others]) => ({
    ...first,
    case: [first, ...others].map((one) => one.case),
  }));
}

/** The comparison with a baseline, in one sentence. */
export function baselineText(note: BaselineNote): string {
  const { file, known, unknown, stale, blamed = 0, unjudged = 0 } = note;
  const others = [
    unknown.length > 0 ? `${unknown.length} new` : "no other",
    ...(stale.length > 0 ? [`${counted(stale.length, "entry", "entries")} that must go`] : []),
    ...(blamed > 0 ? [`${counted(blamed, "case")} inconclusive because of them`] : []),
    ...(unjudged > 0 ? [`${counted(unjudged, "entry", "entries")} not judged`] : []),
  ];
  return `Baseline ${file}: ${counted(known.length, "known failure")}, ${others.join(", ")}.`;
}
