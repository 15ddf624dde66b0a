import type { ServerProbe } from "../authorization-server/probe.ts";
import { confirmed, needsConfirming } from "../engine/confirm.ts";
import type { PlannedCase } from "../engine/plan.ts";
import { CaseEnd, type Evidence, type Finding } from "../probe/finding.ts";
import type { Probe } from "../probe/probe.ts";
import { sideOf } from "../probe/rule.ts";
import { type Missing, NotRecorded } from "./missing.ts";
import type { Pool } from "./recorded-exchanges.ts";
import {
  type Differing,
  type ReplayContext,
  type ReplayedTry,
  replayProbe,
  unlessMissing,
} from "./replay-probe.ts";
import { replayServerProbe } from "./replay-server.ts";

/** What a rule finds in the recorded answers of a case. */
export interface Replayed {
  readonly finding: Finding;
  readonly flaky: boolean;
  /** A violation that a second try must confirm, but the record has no second try. */
  readonly unconfirmed: boolean;
  /** The rule used a control. */
  readonly controlled: boolean;
  /** The finding may rest on something that is not recorded. */
  readonly doubtful: boolean;
  /** The requests that are recorded otherwise than the rule makes them. */
  readonly differing: readonly Differing[];
}

/** What a rule asks for that the record does not have. */
export interface NotReplayed {
  readonly missing: Missing;
  /** A violation in the requests of a case whose evidence names none. */
  readonly unnamed?: Violation | undefined;
}

type Violation = Extract<Finding, { kind: "fail" }>;

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
  let missing: NotReplayed | undefined;
  // A try that proved nothing may come before the one that the evidence names.
  for (const pool of named.length < own.length ? [own, named] : [own]) {
    const replayed = await replayOn([...pool], planned, evidence, context);
    if (!("missing" in replayed)) return replayed;
    missing ??= replayed;
  }
  return missing ?? { missing: "request" };
}

/** @param pool the exchanges that the tries of the case sent */
async function replayOn(
  pool: Pool,
  planned: PlannedCase,
  evidence: Evidence,
  context: ReplayContext,
): Promise<Replayed | NotReplayed> {
  let controlled = false;
  const lean = (): void => {
    controlled = true;
  };
  let doubtful = false;
  const doubt = (): void => {
    doubtful = true;
  };
  const differing: Differing[] = [];
  const differ = (one: Differing): void => void differing.push(one);
  const run = async (confirming: boolean): Promise<Finding> => {
    const probe = probeOf({ planned, context, pool, evidence, confirming, lean, differ, doubt });
    try {
      return await planned.testCase.judge(probe);
    } catch (error) {
      if (error instanceof CaseEnd) return error.finding;
      throw error;
    }
  };
  try {
    const first = await run(false);
    const isViolation = needsConfirming(first, planned);
    const isWhole = rests(first, evidence);
    if (!isViolation) {
      return isWhole
        ? { finding: first, flaky: false, unconfirmed: false, controlled, doubtful, differing }
        : { missing: "request" };
    }
    const second = await unlessMissing(() => run(true));
    const both = second && confirmed(first, second);
    if (both && rests(both.finding, evidence))
      return { ...both, unconfirmed: false, controlled, doubtful, differing };
    return isWhole
      ? { finding: first, flaky: false, unconfirmed: true, controlled, doubtful, differing }
      : { missing: "confirmation", ...(evidence.probes.length === 0 && { unnamed: first }) };
  } catch (error) {
    // A rule may fail in any way on a forged record. Then it has judged nothing.
    const otherwise = sideOf(planned.rule) === "receiver" ? "answer" : "server";
    return { missing: error instanceof NotRecorded ? error.missing : otherwise };
  }
}

/** The probe of the side that the rule is about. */
function probeOf(tried: ReplayedTry): Probe | ServerProbe {
  return sideOf(tried.planned.rule) === "receiver" ? replayProbe(tried) : replayServerProbe(tried);
}

/** Whether a finding rests on the probes of the evidence, in this order. */
function rests(finding: Finding, { probes }: Evidence): boolean {
  // Such a result has no evidence.
  if (finding.kind === "not-applicable") return probes.length === 0;
  const own = "evidence" in finding ? (finding.evidence?.probes ?? []) : [];
  return own.length === probes.length && own.every((id, at) => id === probes[at]);
}
