import { confirmed, needsConfirming } from "../engine/confirm.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import { CaseEnd, type Evidence, exchangesOf, type Finding } from "../probe/finding.ts";
import { sideOf } from "../probe/rule.ts";
import type { ReplayContext } from "./context.ts";
import { isSteady } from "./evidence-form.ts";
import { type Missing, NotRecorded, unlessMissing } from "./missing.ts";
import { isUnclear, type Pool } from "./recorded-exchanges.ts";
import { recordedServerProbe } from "./recorded-server.ts";
import { type Marks, recordedProbe, type ReplayedTry } from "./recorded-session.ts";

/** What a rule finds in the recorded answers of a case. */
export interface Replayed {
  readonly finding: Finding;
  readonly flaky: boolean;
  /** A violation that a second try must confirm, but the record has no second try. */
  readonly unconfirmed: boolean;
  readonly marks: Marks;
  /** Whether the rule used a control. */
  readonly controlled: boolean;
}

/** What a rule asks for that the record does not have. */
export interface NotReplayed {
  readonly missing: Missing;
  /** What the requests of a case show whose evidence names none of them, or more than that rests on. */
  readonly shown?: Shown | undefined;
}

type Shown = Extract<Finding, { kind: "fail" | "pass" }>;

/** What the tries of a case may have sent; see `replayOn`. */
interface SentByTries {
  readonly pool: readonly Exchange[];
  readonly anew?: boolean;
}

/**
 * Runs a case's rule on the record: each request that it would send gets the recorded answer.
 * @returns what the rule finds, or what it asks for that the record does not have
 */
export async function replay(
  planned: PlannedCase,
  evidence: Evidence,
  context: ReplayContext,
): Promise<Replayed | NotReplayed> {
  const own = context.senders.get(planned.caseId) ?? [];
  const named = own.filter(({ id }) => evidence.probes.includes(id));
  const all = exchangesOf(evidence);
  const withSetup = own.filter(({ id }) => all.includes(id));
  const tries: readonly SentByTries[] = [
    { pool: own },
    // A try that proved nothing may come before the one that the evidence names.
    ...(named.length < own.length ? [{ pool: named }] : []),
    ...(named.length < withSetup.length ? laterTries(own, withSetup) : []),
  ];
  let missing: NotReplayed | undefined;
  let otherwise: Replayed | undefined;
  for (const { pool, anew } of tries) {
    const replayed = await replayOn([...pool], planned, evidence, context, anew);
    if ("missing" in replayed) missing ??= replayed;
    else if (replayed.marks.differing.length === 0) return replayed;
    else otherwise ??= replayed;
  }
  return otherwise ?? missing ?? { missing: "request" };
}

/**
 * What a later try may have sent. It sends again what the first one shared with others: what the evidence names, perhaps after good
 * requests that were refused, which the evidence does not name.
 */
function laterTries(
  own: readonly Exchange[],
  withSetup: readonly Exchange[],
): readonly SentByTries[] {
  const first = own.findIndex((one) => one === withSetup[0]);
  const beginnings = Array.from({ length: first }, (_, before) => own.slice(first - before));
  const others = beginnings.filter(({ length }) => length > withSetup.length);
  return [withSetup, ...others].map((pool) => ({ pool, anew: true }));
}

/**
 * @param pool the exchanges that the tries of the case sent
 * @param anew whether the first of these tries sent everything itself. Default: it shared what others had sent
 */
async function replayOn(
  pool: Pool,
  planned: PlannedCase,
  evidence: Evidence,
  context: ReplayContext,
  anew = false,
): Promise<Replayed | NotReplayed> {
  const isReceivers = sideOf(planned.rule) === "receiver";
  const marks: Marks = {
    doubtful: false,
    incomplete: false,
    troubled: pool.some(isUnclear) || planned.testCase.writes === "beside",
    differing: [],
    setUp: new Map(),
  };
  let controlled = false;
  const run = async (confirming: boolean): Promise<Finding> => {
    const tried: ReplayedTry = { planned, context, pool, evidence, confirming, marks };
    const { probe, used } = isReceivers ? recordedProbe(tried) : recordedServerProbe(tried);
    try {
      return await planned.testCase.judge(probe);
    } catch (error) {
      if (error instanceof CaseEnd) return error.finding;
      throw error;
    } finally {
      controlled ||= used.size > 0;
    }
  };
  try {
    const first = await run(anew);
    const isViolation = needsConfirming(first, planned);
    const isWhole = rests(first, evidence);
    if (!isViolation) {
      return isWhole
        ? { finding: first, flaky: false, unconfirmed: false, marks, controlled }
        : { missing: "request", ...shownBy(first) };
    }
    const second = await unlessMissing(() => run(true));
    const both = second && confirmed(first, second);
    if (both && rests(both.finding, evidence))
      return { ...both, unconfirmed: false, marks, controlled };
    return isWhole
      ? { finding: first, flaky: false, unconfirmed: true, marks, controlled }
      : { missing: "confirmation", ...shownBy(first) };
  } catch (error) {
    // A rule may fail in any way on a forged record. Then it has judged nothing.
    const otherwise = isReceivers ? "answer" : "server";
    return { missing: error instanceof NotRecorded ? error.missing : otherwise };
  }

  /** A violation that the requests show, or a pass that all of them together show, if the evidence does not name others. */
  function shownBy(finding: Finding): Pick<NotReplayed, "shown"> {
    const { doubtful, incomplete, troubled } = marks;
    const isKnown = !incomplete && !troubled && isSteady(context.report);
    // A refusal of an issued token may be due to its subject.
    const mayBePolicy = isReceivers && context.facts.issued !== undefined;
    if (planned.level === "OBSERVE" || !isKnown || mayBePolicy) return {};
    const isEmpty = evidence.probes.length === 0;
    if (finding.kind === "fail" && (isEmpty || isPartOf(finding.evidence, evidence)))
      return { shown: finding };
    // What is not recorded may show a violation, and hides none.
    const isWhole = finding.kind === "pass" && finding.evidence !== undefined && pool.length === 0;
    return isReceivers && isEmpty && isWhole && !doubtful ? { shown: finding } : {};
  }
}

/** Whether there are probes, all of which the evidence names. */
function isPartOf({ probes }: Evidence = { probes: [] }, evidence: Evidence): boolean {
  return probes.length > 0 && probes.every((id) => evidence.probes.includes(id));
}

/** Whether a finding rests on the probes of the evidence, in this order. */
function rests(finding: Finding, { probes }: Evidence): boolean {
  // Such a result has no evidence.
  if (finding.kind === "not-applicable") return probes.length === 0;
  const own = "evidence" in finding ? (finding.evidence?.probes ?? []) : [];
  return own.length === probes.length && own.every((id, at) => id === probes[at]);
}
