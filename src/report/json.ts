import { isExploredId, ruleOfCase, SERVER, SHARED } from "../contract/ids.ts";
import { LEVELS } from "../contract/levels.ts";
import { requirement } from "../contract/requirements.ts";
import {
  type CaseResult,
  type Observation,
  OUTCOMES,
  type Outcome,
  type RunEvent,
} from "../engine/events.ts";
import { worst } from "../engine/judge.ts";
import type { Exchange } from "../http/exchange.ts";
import { groupBy } from "../lib/group-by.ts";
import { exchangesOf } from "../probe/finding.ts";
import type { Pack } from "../probe/pack.ts";
import { type Fact, factsOf, inWords, type Phrase } from "../probe/phrase.ts";
import type { PackReport, Report, ReportCase, ReportObservation } from "./report.ts";

export function reportJson(report: Report): string {
  return [...reportPieces(report)].join("");
}

/** Minimum length of a piece, in characters. */
const PIECE = 64 * 1024;

/** The text of `report.json` in pieces: whole it would take more memory than all else. */
export function* reportPieces(report: Report): Generator<string> {
  let piece = "";
  for (const part of jsonParts(report, "", 2)) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}\n`;
}

/**
 * The text of `JSON.stringify(value, null, 1)`, in parts.
 * @param indent of the line in which the value begins
 * @param depth down to this depth each member is a part of its own
 */
function* jsonParts(value: unknown, indent: string, depth: number): Generator<string> {
  const entries =
    typeof value === "object" && value !== null
      ? Object.entries(value).filter(([, member]) => member !== undefined)
      : [];
  if (depth === 0 || entries.length === 0) {
    yield JSON.stringify(value, null, 1).replaceAll("\n", `\n${indent}`);
    return;
  }
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  let before = open;
  for (const [name, member] of entries) {
    yield `${before}\n${indent} ${Array.isArray(value) ? "" : `${JSON.stringify(name)}: `}`;
    yield* jsonParts(member, `${indent} `, depth - 1);
    before = ",";
  }
  yield `\n${indent}${close}`;
}

/**
 * The report of a run, its members in a fixed order.
 * @param events all of the run
 * @throws Error when the run has not ended
 */
export function reportFrom(events: readonly RunEvent[]): Report {
  const started = events.find((event) => event.type === "run-started");
  const planned = events.find((event) => event.type === "run-planned");
  const finished = events.find((event) => event.type === "run-finished");
  if (!started || !planned || !finished) throw new Error("the run has not ended yet");
  const judged = new Map<string, CaseResult>();
  const exchanges: Exchange[] = [];
  for (const event of events) {
    if (event.type === "exchange") exchanges.push(event.exchange);
    else if (event.type === "case-judged") judged.set(event.result.id, event.result);
  }
  const ids = new Set([...planned.caseIds, ...judged.keys()]);
  const results = [...ids].flatMap((id) => judged.get(id) ?? []);
  const statements = finished.facts.flatMap(({ rule, says }) =>
    says ? [{ rule, says: inWords(says) }] : [],
  );
  return {
    schemaVersion: "2.1",
    verdict: finished.verdict,
    verdictText: finished.verdictText,
    partial: finished.partialBecause.length > 0,
    partialBecause: finished.partialBecause,
    scope: finished.scope,
    coverage: finished.coverage,
    suite: started.suite,
    target: started.target,
    seed: started.seed,
    startedAt: started.startedAt,
    durationMs: finished.durationMs,
    waitedMs: finished.waitedMs,
    requests: finished.requests,
    writes: finished.writes,
    leftBehind: finished.leftBehind,
    interrupted: finished.interrupted,
    suiteErrors: finished.suiteErrors,
    exploration: finished.exploration,
    setup: finished.setup,
    facts: finished.facts.flatMap((one) =>
      one.says ? [] : [{ ...one, accepts: inWords(one.accepts), refuses: inWords(one.refuses) }],
    ),
    ...(statements.length > 0 && { statements }),
    diagnoses: finished.diagnoses,
    plan: planned.plan,
    excluded: planned.excluded,
    counts: countCases(results),
    rules: planned.rules.map(({ id, title, level, clause, requirements }) => {
      const cases = results.filter(({ rule }) => rule === id);
      return {
        id,
        title,
        level,
        clause,
        requirements,
        outcome: worst(cases.map(({ outcome }) => outcome)),
        cases: cases.map((result) => reportCase(result, requirements[0])),
      };
    }),
    observations: finished.observations.map(reportObservation),
    exchanges: recorded(results, exchanges),
  };
}

/** What a pack found, from the events of its run. */
export function packReportFrom(
  { id, version, title, requirements }: Pack,
  events: readonly RunEvent[],
): PackReport {
  const {
    schemaVersion: _schemaVersion,
    suite: _suite,
    target: _target,
    seed: _seed,
    exploration: _exploration,
    ...own
  } = reportFrom(events);
  const named = new Set(own.rules.flatMap((rule) => rule.requirements));
  return {
    id,
    version,
    title,
    requirements: requirements.filter((one) => named.has(one.id)),
    ...own,
  };
}

/** The numbers of cases by level and outcome. */
export function countCases(results: readonly CaseResult[]): Report["counts"] {
  const count = (level: string, outcome: Outcome): number =>
    results.filter((result) => result.level === level && result.outcome === outcome).length;
  return Object.fromEntries(
    LEVELS.map((level) => [
      level,
      Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(level, outcome)])),
    ]),
  ) as Report["counts"];
}

/**
 * A case of the report from its result.
 * @param main id of the rule's main requirement
 */
export function reportCase(result: CaseResult, main: string | undefined): ReportCase {
  const id = result.requirement ?? main;
  const verified = id === undefined ? undefined : requirement(id);
  return {
    id: result.id,
    title: result.title,
    operation: result.operation,
    client: result.client,
    level: result.level,
    outcome: result.outcome,
    requirement: verified?.text,
    clause: verified?.clause,
    ...told(result),
    code: result.code,
    explored: result.explored,
    why: result.why,
    source: result.source,
    evidence: result.evidence,
    flaky: result.flaky,
    waitedMs: result.waitedMs,
    blamedOn: result.blamedOn,
    missing: result.missing,
  };
}

/** A case that sends more requests than this beside its evidence judges by their number or by what overlapped. */
export const MOST_BESIDE_EVIDENCE = 16;

/** The exchanges of the evidence, then those by which `verify` judges again what rests on them. */
function recorded(
  results: readonly CaseResult[],
  exchanges: readonly Exchange[],
): Record<string, Exchange> {
  const named = new Set(results.flatMap(({ evidence }) => exchangesOf(evidence)));
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]));
  const owners = new Set([SHARED, SERVER, ...results.map(({ rule }) => rule)]);
  const others = exchanges
    .filter(({ id, caseId }) => !named.has(id) && owners.has(ruleOfCase(caseId)))
    .filter(({ caseId }) => !isExploredId(caseId))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const few = [...groupBy(others, ({ caseId }) => caseId).values()].filter(
    ({ length }) => length <= MOST_BESIDE_EVIDENCE,
  );
  return Object.fromEntries(
    // In the order in which evidence names them, because the order in which they ended is chance.
    [...named, ...few.flat().map(({ id }) => id)].flatMap((id) => {
      const exchange = byId.get(id);
      return exchange ? [[id, exchange]] : [];
    }),
  );
}

function told({
  reason,
  expected,
  actual,
}: CaseResult): Pick<ReportCase, "reason" | "expected" | "actual" | "facts"> {
  const facts = Object.entries({ reason, expected, actual }).flatMap(([name, said]) => {
    const typed = said ? typedValues(said) : [];
    return typed.length > 0 ? [[name, typed] as const] : [];
  });
  return {
    reason: reason && inWords(reason),
    expected: expected && inWords(expected),
    actual: actual && inWords(actual),
    facts: facts.length > 0 ? Object.fromEntries(facts) : undefined,
  };
}

function reportObservation({ id, title, value }: Observation): ReportObservation {
  const facts = typedValues(value);
  return { id, title, value: inWords(value), ...(facts.length > 0 && { facts }) };
}

/** The facts of a sentence that are this deployment's own, and no names of contract or suite. */
function typedValues(said: Phrase): Fact[] {
  return factsOf(said).filter(({ kind }) => kind !== "name");
}
