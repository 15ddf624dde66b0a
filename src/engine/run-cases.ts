import type { Side } from "../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import type { Controls } from "../probe/controls/controls.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { sideOf } from "../probe/rule.ts";
import type { Session } from "../probe/session.ts";
import { blocked, explained } from "../setup/blocked-run.ts";
import { findFirst, lookAtSetup, type Setup } from "../setup/diagnose.ts";
import type { BatchContext } from "./batch.ts";
import { interruptible } from "./interruptible.ts";
import type { Judgeable } from "./judge.ts";
import { createLastLook } from "./last-look.ts";
import { type Ahead, beginAhead, runPhases } from "./phases.ts";
import { openNeeds, type Plan, settleOpen } from "./plan.ts";
import { receiverSide } from "./receiver-side.ts";
import { settleAll } from "./settle-all.ts";
import type { OpenSide, SideRun } from "./side.ts";

const NOT_REACHED: Finding = {
  kind: "inconclusive",
  code: "time-limit",
  reason: phrase`the time limit of the run was reached before it was judged`,
};

/** The cases to run, and what they run with. */
export interface CasesToRun extends Pick<BatchContext, "emit" | "suiteErrors"> {
  /** The plan before the deployment was looked at. */
  readonly planned: Plan;
  readonly session: Session;
  readonly controls: Controls;
  /** Sides other than the receiver. */
  readonly opened: readonly OpenSide[];
  /** The most requests under way at once. */
  readonly concurrency: number;
  /** Whether the run's time limit, and nothing else, has ended it. */
  readonly isTimedOut: () => boolean;
}

/** The findings of a run, and whether its time limit ended it. */
export interface CasesRun {
  readonly setup: Setup;
  /** The plan with what the deployment provides. */
  readonly plan: Plan;
  /** In the order in which the cases were settled. A case that an interrupt left out is absent. */
  readonly judged: readonly Judgeable[];
  readonly timedOut: boolean;
}

const NOT_LOOKED_AT: Setup = { faults: [], results: new Map(), acceptsSomeToken: true };

/**
 * Looks at the set-up and runs the cases of a plan. The reads of the first operation of each kind begin as soon as the
 * deployment accepts a token there. If it accepts none, the cases of the receiver all end with that reason, and those of
 * other sides run. At the time limit, the remaining cases are inconclusive.
 */
export async function runCases(cases: CasesToRun): Promise<CasesRun> {
  const ahead: Ahead[] = [];
  const running = lookAndRun(cases, ahead);
  await settleAll([running]);
  await settleAll(ahead.map(({ done }) => done));
  return running;
}

async function lookAndRun(cases: CasesToRun, ahead: Ahead[]): Promise<CasesRun> {
  const { planned, session, controls, concurrency } = cases;
  const operations = operationsOf(planned);
  const judged: Judgeable[] = [];
  const early = contextOf(cases, NOT_LOOKED_AT, judged);
  const begin = (id: OperationId): void => {
    const begun = beginAhead(`ahead-${ahead.length + 1}`, planned, id, concurrency, early);
    ahead.push(begun);
    // If it fails while the rest is calibrated, the phases fail with it.
    void settleAll([begun.done]);
  };
  await interruptible(undefined, () => findFirst(controls, operations, begin));
  const wanted = { operations, needs: openNeeds(planned) };
  const setup = await interruptible(NOT_LOOKED_AT, () => lookAtSetup(session, controls, wanted));
  const plan = setup.found ? settleOpen(planned, setup.found) : planned;
  const context = contextOf(cases, setup, judged);
  for (const one of plan.cases) {
    if (one.settled) context.settled(one, one.settled);
  }
  const lookAgain = setup.acceptsSomeToken
    ? createLastLook({ session, controls, judged, context })
    : nothing;
  await runPhases(plan, ahead, concurrency, context, lookAgain);
  const timedOut = cases.isTimedOut();
  if (timedOut) {
    const reached = new Set(judged.map((one) => one.planned));
    for (const one of plan.cases) {
      if (!reached.has(one)) context.settled(one, NOT_REACHED);
    }
  }
  return { setup, plan, judged, timedOut };
}

async function nothing(): Promise<void> {}

function contextOf(cases: CasesToRun, setup: Setup, judged: Judgeable[]): BatchContext {
  const { suiteErrors, emit } = cases;
  return {
    sides: sidesOf(cases, setup),
    suiteErrors,
    emit,
    settled(planned, finding, how) {
      const muted = !setup.acceptsSomeToken && sideOf(planned.rule) === "receiver";
      judged.push({ planned, finding: muted ? explained(finding) : finding, ...how });
    },
  };
}

/** How the cases of each side run. A blocked receiver does not block the other sides. */
function sidesOf(
  { session, controls, opened }: CasesToRun,
  setup: Setup,
): ReadonlyMap<Side, SideRun> {
  const view = setup.acceptsSomeToken ? { session, controls } : blocked(session, controls, setup);
  const running = new Map<Side, SideRun>(
    opened.flatMap(({ run: side }) => (side ? [[side.side, side] as const] : [])),
  );
  return running.set("receiver", receiverSide(view.session, view.controls));
}

/** The operations of which a plan has cases that send something. */
export function operationsOf(plan: Plan): OperationId[] {
  const used = new Set(
    plan.cases.filter(({ settled }) => !settled).map(({ testCase }) => testCase.operation),
  );
  return OPERATION_IDS.filter((id) => used.has(id));
}
