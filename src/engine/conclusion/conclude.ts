import { SIDES } from "../../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";
import type { HttpClient } from "../../http/client.ts";
import type { Span } from "../../http/clock.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { Lost } from "../../http/persistence/lost-time.ts";
import type { HeldToFirstUse } from "../../probe/controls/first-use.ts";
import { sideOf } from "../../probe/rule.ts";
import type { Session } from "../../probe/session.ts";
import type {
  CaseResult,
  LeftBehind,
  Observation,
  RunFinished,
  Scope,
  SetupProblem,
} from "../events.ts";
import { isJudged, verdictOf } from "../judge.ts";
import type { Plan } from "../plan.ts";
import type { CasesRun, EarlyEnd } from "../run-cases.ts";
import type { OpenSide } from "../side.ts";
import { diagnose } from "./diagnose.ts";
import { alikeFacts } from "./facts/alike.ts";
import { findFacts } from "./facts/facts.ts";
import { gatewayProblems } from "./gateway.ts";
import { lostConnectionProblems } from "./lost-connections.ts";
import { askedRun } from "./model/asked.ts";
import { observe } from "./observations.ts";
import { pagesExplained } from "./pages/explain-pages.ts";
import { seenPages } from "./pages/seen-pages.ts";
import { recognisedInWords, recognisedProblems } from "./recognised.ts";
import { readKnownFaults } from "./signatures.ts";
import {
  crashProblems,
  firstUseInWords,
  firstUseProblems,
  incompleteProblems,
  lostProblem,
  momentProblems,
} from "./trouble.ts";
import {
  HAS_BAILED,
  verdictText,
  WAS_GIVEN_UP,
  WAS_INTERRUPTED,
  WAS_TIMED_OUT,
} from "./verdict-text.ts";
import { waitProblems } from "./waits.ts";

/** A run whose cases have their results. */
export interface JudgedRun extends CasesRun {
  readonly results: readonly CaseResult[];
  readonly session: Session;
  /** The client of the receiver. */
  readonly http: Pick<HttpClient, "outages" | "patience" | "requests">;
  /** Sides other than the receiver. */
  readonly opened: readonly Pick<OpenSide, "requests" | "unwaited">[];
  readonly exchanges: readonly Exchange[];
  readonly waits: readonly Span[];
  readonly leftBehind: readonly Observation[];
  readonly interrupted: boolean;
  /** What each client that gave up had lost. */
  readonly lost: readonly Lost[];
  readonly suiteErrors: readonly string[];
  /** Since the run began. */
  readonly durationMs: number;
}

/** The last event of a run: its verdict, what it covers, and what was seen beside the cases. It is not redacted. */
export function conclude(run: JudgedRun): RunFinished {
  const { plan, results, setup, session, exchanges, interrupted } = run;
  const partialBecause = whyPartial(run);
  const { left, verdict, coverage, scope } = totalsOf(plan, results, partialBecause);
  const firstUse = session.seen.firstUses.summary();
  const asked = askedRun({ ...session, sent: session.seen.sent });
  const byPages = pagesExplained(results, seenPages(exchanges, session.target));
  const facts = findFacts(results, { asked, byPages, errors: session.seen.errors });
  const diagnoses = diagnose(results, readKnownFaults, { asked, byPages });
  const isExplained = (rule: string): boolean =>
    [...facts, ...diagnoses].some((one) => one.rule === rule);
  return {
    type: "run-finished",
    verdict,
    verdictText: verdictText(verdict, results, {
      wantTestIssuer: plan.wantTestIssuer,
      left,
      pack: plan.pack,
      partialBecause,
      coverage,
      sides: scope.sides,
      blocked: !setup.acceptsSomeToken,
      cause: recognisedInWords(session.seen.trouble) ?? (firstUse && firstUseInWords(firstUse)),
    }),
    partialBecause,
    scope,
    coverage,
    setup: setupProblems(run, firstUse),
    facts: [...facts, ...alikeFacts(results, isExplained)],
    diagnoses,
    observations: [...observe(session, results, exchanges), ...run.leftBehind],
    requests: run.opened.reduce((sum, side) => sum + side.requests, run.http.requests),
    writes: writesOf(session),
    leftBehind: leftBehindBy(session),
    durationMs: Math.round(run.durationMs),
    waitedMs: idleMs(run.waits, exchanges),
    interrupted,
    suiteErrors: run.suiteErrors,
    ...(run.exploration && { exploration: run.exploration }),
  };
}

/** What follows from a plan and the results of its cases: the verdict, what it covers, and how many MUST cases have no result. */
export function totalsOf(
  plan: Plan,
  results: readonly CaseResult[],
  partialBecause: readonly string[],
): Pick<RunFinished, "verdict" | "coverage" | "scope"> & { readonly left: number } {
  const musts = results.filter(({ level }) => level === "MUST");
  const left = plan.cases.filter(({ level }) => level === "MUST").length - musts.length;
  return {
    left,
    verdict: verdictOf(results, left, partialBecause.length > 0),
    coverage: { judged: musts.filter(isJudged).length, total: plan.allMusts },
    scope: scopeOf(plan, results),
  };
}

/** Why the run covers less than the contract, one phrase each. */
const EARLY_ENDS: Readonly<Record<EarlyEnd, string>> = {
  "time limit": WAS_TIMED_OUT,
  "lost time": WAS_GIVEN_UP,
  bail: HAS_BAILED,
};

function whyPartial({ plan, interrupted, endedBy }: JudgedRun): string[] {
  return [
    ...plan.partialBecause,
    ...(interrupted ? [WAS_INTERRUPTED] : []),
    ...(endedBy ? [EARLY_ENDS[endedBy]] : []),
  ];
}

function setupProblems(run: JudgedRun, firstUse: HeldToFirstUse | undefined): SetupProblem[] {
  const { setup, session, http, opened, exchanges, results } = run;
  const unwaited = {
    receiver: http.patience.refused,
    "authorization-server": opened.reduce((sum, side) => sum + side.unwaited, 0),
  };
  const { trouble, moments } = session.seen;
  return [
    ...recognisedProblems(trouble),
    ...run.lost.map((lost) => lostProblem(lost, session.target)),
    // Why good requests were refused that had been accepted before.
    ...(recognisedInWords(trouble) !== undefined
      ? []
      : firstUse
        ? firstUseProblems(firstUse)
        : momentProblems(moments.summary())),
    ...crashProblems(http.outages),
    ...lostConnectionProblems(exchanges),
    ...incompleteProblems(exchanges),
    ...waitProblems(session.target, unwaited),
    // The set-up faults say already why nothing is answered.
    ...(setup.faults.some(({ check }) => check === "available")
      ? []
      : gatewayProblems(exchanges, results, unwaited)),
    ...setup.faults.map(({ problem, remedy }) => ({ problem, remedy })),
  ];
}

/** The writes of a run that count as accepted, by operation and organization, because the order of their answers is chance. */
function leftBehindBy({ seen, writes }: Session): LeftBehind[] {
  return seen.uniqueValues
    .filter(({ exchange }) => writes.counts(exchange))
    .map(({ operation, organization, value, isInBody }) => ({
      operation,
      ...(organization !== undefined && { organization }),
      ...(isInBody && { value }),
    }))
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function placeOf({ operation, organization = "", value }: LeftBehind): string {
  return `${operation} ${organization} ${value === undefined}`;
}

/** Accepted writes by operation, in the order of the contract. Operations without one are absent. */
function writesOf({ writes }: Session): Partial<Record<OperationId, number>> {
  return Object.fromEntries(
    OPERATION_IDS.flatMap((id) => {
      const accepted = writes.accepted(id);
      return accepted === 0 ? [] : [[id, accepted]];
    }),
  );
}

/** The sides and operations with a judged case. Where there is none, the side is the receiver. */
function scopeOf(plan: Plan, results: readonly CaseResult[]): Scope {
  const judged = new Map(
    results.filter(isJudged).map(({ id, operation }) => [id, operation] as const),
  );
  const planned = plan.cases.filter(({ caseId }) => judged.has(caseId));
  const sides = new Set(planned.map(({ rule }) => sideOf(rule)));
  const operations = new Set(judged.values());
  return {
    sides: sides.size === 0 ? ["receiver"] : SIDES.filter((side) => sides.has(side)),
    operations: OPERATION_IDS.filter((id) => operations.has(id)),
  };
}

/**
 * Milliseconds in which a run only waited: for time to pass, or as long as an answer asked, with no request under way.
 * @param waits in any order; they may overlap
 * @param exchanges of the whole run
 */
export function idleMs(
  waits: readonly Span[],
  exchanges: readonly Pick<Exchange, "startedAt" | "durationMs">[],
): number {
  const busy = merged(
    exchanges.map(({ startedAt, durationMs }) => {
      const from = Date.parse(startedAt);
      return { from, to: from + durationMs };
    }),
  );
  let idle = 0;
  for (const { from, to } of merged(waits)) {
    idle += to - from;
    for (const span of busy) {
      idle -= Math.max(0, Math.min(to, span.to) - Math.max(from, span.from));
    }
  }
  return idle;
}

/** Merges spans that overlap. */
function merged(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = apart.at(-1);
    if (last && span.from <= last.to) {
      apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else apart.push(span);
  }
  return apart;
}
