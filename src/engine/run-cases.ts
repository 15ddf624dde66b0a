import type { Side } from "../contract/ids.ts";
import type { Controls } from "../probe/controls.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { sideOf } from "../probe/rule.ts";
import type { Session } from "../probe/session.ts";
import { blocked, explained } from "../setup/blocked-run.ts";
import type { Setup } from "../setup/diagnose.ts";
import type { BatchContext } from "./batch.ts";
import type { Judgeable } from "./judge.ts";
import { runPhases } from "./phases.ts";
import type { Plan } from "./plan.ts";
import { receiverSide } from "./receiver-side.ts";
import type { OpenSide, SideRun } from "./side.ts";

const NOT_REACHED: Finding = {
  kind: "inconclusive",
  reason: phrase`the time limit of the run was reached before it was judged`,
};

/** The cases to run, and what they run with. */
export interface CasesToRun extends Pick<BatchContext, "emit" | "suiteErrors"> {
  readonly plan: Plan;
  readonly setup: Setup;
  readonly session: Session;
  readonly controls: Controls;
  /** Sides other than the receiver. */
  readonly opened: readonly OpenSide[];
  /** The most requests under way at once. */
  readonly concurrency: number;
  /** Runs a part of the phases; an interrupt ends the part without an error. */
  readonly interruptible: (part: () => Promise<void>) => Promise<void>;
  /** Whether the run's time limit, and nothing else, has ended it. */
  readonly isTimedOut: () => boolean;
}

/** The findings of a run, and whether its time limit ended it. */
export interface CasesRun {
  /** In the order in which the cases were settled. A case that an interrupt left out is absent. */
  readonly judged: readonly Judgeable[];
  readonly timedOut: boolean;
}

/**
 * Runs the cases of a plan. If the deployment accepts no token, the cases of the receiver all end with
 * that reason, and those of other sides run. At the time limit, the remaining cases are inconclusive.
 */
export async function runCases(cases: CasesToRun): Promise<CasesRun> {
  const { plan, setup, concurrency, emit, suiteErrors } = cases;
  const judged: Judgeable[] = [];
  const settled: BatchContext["settled"] = (one, finding, how) => {
    const muted = !setup.acceptsSomeToken && sideOf(one.rule) === "receiver";
    judged.push({ planned: one, finding: muted ? explained(finding) : finding, ...how });
  };
  for (const one of plan.cases) {
    if (one.settled) settled(one, one.settled);
  }
  const context: BatchContext = { sides: sidesOf(cases), suiteErrors, emit, settled };
  await runPhases(plan, concurrency, context, cases.interruptible);
  const timedOut = cases.isTimedOut();
  if (timedOut) {
    const reached = new Set(judged.map((one) => one.planned));
    for (const one of plan.cases) {
      if (!reached.has(one)) settled(one, NOT_REACHED);
    }
  }
  return { judged, timedOut };
}

/** How the cases of each side run. A blocked receiver does not block the other sides. */
function sidesOf({ setup, session, controls, opened }: CasesToRun): ReadonlyMap<Side, SideRun> {
  const view = setup.acceptsSomeToken ? { session, controls } : blocked(session, controls, setup);
  const running = new Map<Side, SideRun>(
    opened.flatMap(({ run: side }) => (side ? [[side.side, side] as const] : [])),
  );
  return running.set("receiver", receiverSide(view.session, view.controls));
}
