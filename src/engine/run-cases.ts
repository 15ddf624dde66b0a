import type { Side } from "../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import type { Control } from "../probe/controls/control.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { createProbe } from "../probe/create-probe.ts";
import { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { sideOf } from "../probe/rule.ts";
import type { Session } from "../probe/session.ts";
import { blocked, explained, findFirst, lookAtSetup, type Setup } from "../setup/diagnose.ts";
import type { BatchContext } from "./batch.ts";
import { blameCrossing } from "./crossed.ts";
import type { ExplorationNote } from "./events.ts";
import { createLastLook } from "./last-look.ts";
import { type Ahead, beginAhead, runPhases, slotsFor } from "./phases.ts";
import { openNeeds, type Plan, settleOpen } from "./plan.ts";
import { checkedAtOnce } from "./refused-for-a-moment.ts";
import type { Results } from "./results.ts";
import { interruptible, settleAll } from "./settle-all.ts";
import type { OpenSide, SideRun } from "./side.ts";

/**
 * What ended a run before all cases were judged: its time limit, a server that left too many requests without an answer or sent too
 * much, or the first violation of a MUST.
 */
export type EarlyEnd = "time limit" | "lost time" | "bail";

const NOT_REACHED: Readonly<Record<EarlyEnd, Finding>> = {
  "time limit": Finding.undecided(
    "time-limit",
    phrase`the time limit of the run was reached before it was judged`,
  ),
  "lost time": Finding.undecided(
    "lost-time",
    phrase`the run ended before it was judged, because too many requests got no complete answer, or all answers together were too large`,
  ),
  bail: Finding.undecided("bail", phrase`not run: the run ended at the first violation of a MUST`),
};

/** The cases to run, and what they run with. */
export interface CasesToRun extends Pick<
  BatchContext,
  "emit" | "suiteErrors" | "enough" | "bails"
> {
  /** The plan before the deployment was looked at. */
  readonly planned: Plan;
  readonly session: Session;
  readonly controls: Controls;
  /** Sides other than the receiver. */
  readonly opened: readonly OpenSide[];
  readonly concurrency: number;
  /** Explores after the phases; `undefined` where that is not asked for. */
  readonly explore?: ((context: BatchContext) => Promise<ExplorationNote>) | undefined;
  /** What has ended the run early, other than an interrupt. */
  readonly endedBy: () => EarlyEnd | undefined;
  /** Keeps the cases that have ended. A case that an interrupt left out has not. */
  readonly results: Pick<Results, "settle" | "ran">;
}

/** What a run saw beside its cases, and what ended it early. */
export interface CasesRun {
  readonly setup: Setup;
  /** The plan with what the deployment provides. */
  readonly plan: Plan;
  readonly endedBy: EarlyEnd | undefined;
  readonly exploration?: ExplorationNote | undefined;
}

const NOT_LOOKED_AT: Setup = { faults: [], results: new Map(), acceptsSomeToken: true };

/**
 * Looks at the set-up and runs the cases of a plan. The reads of the first operation of each kind begin as soon as the
 * deployment accepts a token there. If it accepts none, the cases of the receiver all end with that reason, and those of
 * other sides run. Where the run ends early, the remaining cases are inconclusive.
 */
export async function runCases(cases: CasesToRun): Promise<CasesRun> {
  const ahead: Ahead[] = [];
  const running = lookAndRun(cases, ahead);
  await settleAll([running]);
  await settleAll(ahead.map(({ done }) => done));
  return running;
}

async function lookAndRun(cases: CasesToRun, ahead: Ahead[]): Promise<CasesRun> {
  const { planned, session, controls, concurrency, results } = cases;
  const reads = slotsFor(concurrency);
  const operations = operationsOf(planned);
  const early = contextOf(cases, NOT_LOOKED_AT);
  const begin = (id: OperationId): void => {
    const begun = beginAhead(`ahead-${ahead.length + 1}`, planned, id, reads, early);
    ahead.push(begun);
    // If it fails while the rest is calibrated, the phases fail with it.
    void settleAll([begun.done]);
  };
  await interruptible(undefined, () => findFirst(controls, operations, begin));
  const wanted = { operations, needs: openNeeds(planned) };
  const setup = await interruptible(NOT_LOOKED_AT, () => lookAtSetup(session, controls, wanted));
  const plan = setup.found ? settleOpen(planned, setup.found) : planned;
  const context = contextOf(cases, setup);
  for (const one of plan.cases) {
    if (one.settled) context.settle({ planned: one, finding: one.settled });
  }
  const lookAgain = setup.acceptsSomeToken
    ? createLastLook(session, controls, results.ran, context)
    : async () => {};
  await runPhases(plan, ahead, concurrency, reads, context, lookAgain);
  await interruptible(undefined, () => blameCrossing(results.ran(), context));
  const endedBy = cases.endedBy();
  if (endedBy) {
    const reached = new Set(results.ran().map((one) => one.planned.caseId));
    for (const one of plan.cases) {
      if (!reached.has(one.caseId)) context.settle({ planned: one, finding: NOT_REACHED[endedBy] });
    }
  }
  const explores = endedBy === undefined && setup.acceptsSomeToken;
  const exploration = explores ? await cases.explore?.(context) : undefined;
  return { setup, plan, endedBy, ...(exploration && { exploration }) };
}

function contextOf(cases: CasesToRun, setup: Setup): BatchContext {
  const { suiteErrors, emit, enough, bails, results } = cases;
  return {
    sides: sidesOf(cases, setup),
    suiteErrors,
    emit,
    enough,
    bails,
    wait: (ms) => cases.session.wait(ms),
    settle(ran) {
      const muted = !setup.acceptsSomeToken && sideOf(ran.planned.rule) === "receiver";
      results.settle(muted ? { ...ran, finding: explained(ran.finding) } : ran);
    },
  };
}

/** How the cases of each side run. A blocked receiver does not block the other sides. */
function sidesOf(
  { session, controls, opened }: CasesToRun,
  setup: Setup,
): ReadonlyMap<Side, SideRun> {
  const view = setup.acceptsSomeToken ? { session, controls } : blocked(session, controls, setup);
  const others = opened.flatMap(({ run: side }) => side ?? []);
  const running = [...others, receiverSide(view.session, view.controls)];
  return new Map(running.map((side) => [side.side, side]));
}

/** The operations of which a plan has cases that send something. */
export function operationsOf(plan: Plan): OperationId[] {
  const used = new Set(
    plan.cases.filter(({ settled }) => !settled).map(({ testCase }) => testCase.operation),
  );
  return OPERATION_IDS.filter((id) => used.has(id));
}

/** The receiver as one side of a run. */
function receiverSide(session: Session, controls: Controls): SideRun<Control> {
  return {
    side: "receiver",
    sequential: false,
    createProbe: ({ caseId, testCase, level, phase }, trial, grant) =>
      createProbe(session, controls, caseId, { ...testCase, level, phase }, trial, grant),
    nameOf: ({ operation }) => operation.id,
    beginWritingStage: ({ testCase: { operation }, level }) =>
      operation === undefined ? undefined : session.writes.beginStage(operation, level),
    checkAtOnce: (planned, finding, used) =>
      checkedAtOnce(planned, finding, used, session, controls),
    repeat: (control, label, how) => controls.repeat(control, label, how),
  };
}
