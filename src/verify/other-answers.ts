import type { Outcome } from "../engine/events.ts";
import { judge } from "../engine/judge.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import { type Evidence, exchangesOf, type Finding } from "../probe/finding.ts";
import type { Rule } from "../probe/rule.ts";
import type { Report, ReportCase } from "../report/report.ts";
import { type ReplayContext, replayContext } from "./context.ts";
import { controlLost } from "./evidence.ts";
import type { Missing } from "./missing.ts";
import { planAgain } from "./plan.ts";
import { judgedOfErrors, recordedErrors } from "./record-rules.ts";
import { firstControls } from "./recorded-controls.ts";
import { writtenOf } from "./recorded-exchanges.ts";
import { replay } from "./replay.ts";
import { wholeRecord } from "./whole-record.ts";

/** The answers that differ from those of the record, by the ids of the exchanges. */
export type OtherAnswers = ReadonlyMap<string, NonNullable<Exchange["response"]>>;

/** What a case comes out as over other answers. */
export interface Rejudged {
  readonly outcome: Outcome;
  /** The exchanges that show it. */
  readonly probes: readonly string[];
}

/** Why a case cannot be judged: it would send what the record does not have, or the record does not tell. */
export interface NotRejudged {
  readonly missing: Missing;
}

/** Judges a case again. */
export type Rejudge = (caseId: string) => Promise<Rejudged | NotRejudged>;

/** The parts of an answer that a rule may read. */
export type AnswerPart = "status" | "headers" | "body";

/** Called when a rule reads a part of a recorded answer. */
export type OnRead = (exchange: string, part: AnswerPart) => void;

/**
 * Prepares a run's record for the question what its cases would come out as if some of their requests had been answered
 * otherwise. Each case is judged by its own rule, through the real probe, as `verify` does it.
 * @param report of a run whose exchanges are all recorded
 * @returns a function that takes the other answers, and whoever is to know what of the answers is read; default: nobody
 * @throws SuiteError when no plan follows from the report
 */
export function rejudging(
  report: Report,
  rules: readonly Rule[],
): (answers: OtherAnswers, onRead?: OnRead) => Rejudge {
  const again = planAgain(report, rules, () => {});
  if (!again) throw new TypeError("no plan follows from the report of a run");
  const recorded = replayContext(report, again, true);
  const cases = new Map(report.rules.flatMap((rule) => rule.cases.map((one) => [one.id, one])));
  return (answers, onRead) => {
    const context = withAnswers(recorded, answers, onRead);
    const errors = recordedErrors(context);
    return async (caseId) => {
      const planned = context.cases.get(caseId);
      const one = cases.get(caseId);
      if (!planned || !one) return { missing: "run" };
      const ofErrors =
        planned.phase === "record"
          ? await judgedOfErrors({ planned, one, context, note: () => {} }, errors)
          : undefined;
      const found = ofErrors ?? (await foundAgain(planned, one, context, onRead === undefined));
      if ("missing" in found) return { missing: found.missing };
      const { outcome, evidence } = judge({ planned, finding: found, flaky: false });
      return { outcome, probes: evidence?.probes ?? [] };
    };
  };
}

function withAnswers(
  context: ReplayContext,
  answers: OtherAnswers,
  onRead: OnRead | undefined,
): ReplayContext {
  const exchanges = new Map(context.exchanges);
  const senders = new Map(context.senders);
  const others = [...exchanges].flatMap(([id, known]) => {
    const response = answers.get(id);
    if (!response) return onRead ? [[id, observed(known, onRead)] as const] : [];
    const { fault: _fault, redactions: _redactions, ...sent } = known;
    const other = { ...sent, response };
    return [[id, onRead ? observed(other, onRead) : other] as const];
  });
  for (const [id, other] of others) exchanges.set(id, other);
  for (const name of new Set(others.map(([, { caseId }]) => caseId)))
    senders.set(
      name,
      (senders.get(name) ?? []).map(({ id }) => exchanges.get(id) as Exchange),
    );
  const { facts, whole } = context;
  const written = writtenOf(exchanges, facts);
  return {
    ...context,
    whole: whole && wholeRecord(exchanges, written, whole.sendings, context.exchanges),
    exchanges,
    senders,
    firstControl: firstControls(senders, facts),
    written,
  };
}

/** An exchange that tells what of its answer is read. */
function observed(exchange: Exchange, onRead: OnRead): Exchange {
  const { id, response } = exchange;
  if (!response) return exchange;
  const read = <Part extends AnswerPart>(part: Part): NonNullable<Exchange["response"]>[Part] => {
    onRead(id, part);
    return response[part];
  };
  return {
    ...exchange,
    response: {
      ...response,
      get status() {
        return read("status");
      },
      get headers() {
        return read("headers");
      },
      get body() {
        return read("body");
      },
    },
  };
}

/**
 * What a case finds in the recorded answers, if it finds it without a second try and beside accepted controls.
 * @param shares whether other cases may use what it has set up for them too. Otherwise each reads the answers itself
 */
async function foundAgain(
  planned: PlannedCase,
  one: ReportCase,
  context: ReplayContext,
  shares: boolean,
): Promise<Finding | NotRejudged> {
  const evidence: Evidence = one.evidence ?? { probes: [] };
  if (one.code !== undefined || controlLost(evidence, context.exchanges)) return { missing: "run" };
  const replayed = await replay(planned, evidence, context);
  if ("missing" in replayed) return replayed;
  if (replayed.unconfirmed || replayed.flaky) return { missing: "confirmation" };
  const { doubtful, incomplete, differing } = replayed.marks;
  if (doubtful || incomplete || differing.length > 0) return { missing: "request" };
  if (shares)
    for (const [name, known] of replayed.marks.setUp) context.whole?.found.set(name, known);
  const isUnanswered = exchangesOf(evidence).some((id) => !context.exchanges.get(id)?.response);
  return isUnanswered ? { missing: "answer" } : replayed.finding;
}
