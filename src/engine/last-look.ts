import { LEVELS } from "../contract/levels.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import { SECOND_TRIES, waitBefore } from "../http/second-tries.ts";
import { groupBy } from "../lib/group-by.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { mayWrite, sideOf } from "../probe/rule.ts";
import type { Session } from "../probe/session.ts";
import { anew, type BatchContext, runBatch } from "./batch.ts";
import type { PlannedCase } from "./plan.ts";
import type { Ran } from "./ran.ts";
import {
  isAboutMoments,
  isThroughTrouble,
  knownReads,
  withoutMoments,
} from "./refused-for-a-moment.ts";

const ROW = SECOND_TRIES.trouble;

/**
 * Creates the last look of a run. When everything else is over, it tries the cases of the receiver once more that are inconclusive only
 * because requests had no answer about them, or because good requests were refused at that moment. Each try makes anew what it rests on.
 * The cases go one after another, MUST cases first. Each case is tried as often as the row says, however often the last look is called.
 * @param ran the cases that have ended so far, each once
 */
export function createLastLook(
  session: Session,
  controls: Controls,
  ran: () => readonly Ran[],
  context: BatchContext,
): () => Promise<void> {
  const { moments } = session.seen;
  /** How often each case was tried again. */
  const tried = new Map<PlannedCase, number>();
  let groups = 0;
  const again: BatchContext = {
    ...context,
    emit() {},
    settle(one) {
      // What is not decided now either keeps its first reason.
      if (!isThroughTrouble(one.finding, moments)) context.settle(one);
    },
  };
  /** How long it still waits in all until good requests are accepted again. */
  let leftMs = session.within(ROW);

  function latest(): Ran[] {
    return ran().filter(
      ({ planned }) => sideOf(planned.rule) === "receiver" && !isAboutMoments(planned),
    );
  }

  function leaveOutMoments(): void {
    for (const one of latest()) {
      const finding = withoutMoments(one.finding, moments);
      if (finding !== one.finding) context.settle({ ...one, finding });
    }
  }

  function troubled(): PlannedCase[] {
    const open = latest().filter(
      ({ finding, flaky = false }) => !flaky && isThroughTrouble(finding, moments),
    );
    return open.map(({ planned }) => planned);
  }

  /** Whether good requests are accepted now. Where they are not, it waits a while. */
  async function isAccepting(operation: OperationId | undefined): Promise<boolean> {
    const own =
      operation && !OPERATIONS[operation].writes ? await controls.get(operation) : undefined;
    const [control] = own && "control" in own ? [own.control] : await knownReads(session, controls);
    if (!control) return false;
    for (;;) {
      if (!("refused" in (await controls.repeat(control, "again")))) return true;
      if (leftMs <= 0) return false;
      const pauseMs = waitBefore(ROW, 1);
      leftMs -= pauseMs;
      await session.wait(pauseMs);
    }
  }

  async function tryTroubled(): Promise<void> {
    const open = troubled().filter((planned) => (tried.get(planned) ?? 0) < ROW.times);
    const inVain = new Map<OperationId | undefined, number>();
    for (const group of groupsOf(open)) {
      const { operation } = group[0].testCase;
      const before = inVain.get(operation) ?? 0;
      // Where so many of an operation stayed undecided, the trouble has not passed.
      if (before >= (ROW.mostVain ?? Number.POSITIVE_INFINITY)) continue;
      inVain.set(operation, before + 1);
      if (!(await isAccepting(operation))) continue;
      for (const planned of group) tried.set(planned, (tried.get(planned) ?? 0) + 1);
      groups += 1;
      const stages = group.map((planned) => ({ cases: [planned] }));
      await runBatch(`again-${groups}`, stages, again, anew);
      const left = new Set(troubled());
      if (group.some((planned) => !left.has(planned))) inVain.set(operation, 0);
    }
  }

  return async () => {
    leaveOutMoments();
    for (let further = 1; further <= ROW.times; further++) await tryTroubled();
    leaveOutMoments();
  };
}

/** Each read alone, so that its controls stand beside it; writes of one operation together, because accepted writes are limited. */
function groupsOf(cases: readonly PlannedCase[]): [PlannedCase, ...PlannedCase[]][] {
  const byLevel = cases.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const groups = groupBy(byLevel, ({ caseId, testCase }) =>
    mayWrite(testCase) ? (testCase.operation ?? caseId) : caseId,
  );
  return [...groups.values()];
}
