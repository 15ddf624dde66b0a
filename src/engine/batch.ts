import type PQueue from "p-queue";

import type { Side } from "../contract/ids.ts";
import { Interrupted } from "../http/client.ts";
import { numbered, SECOND_TRIES, tryAgain } from "../http/second-tries.ts";
import { groupBy } from "../lib/group-by.ts";
import { isAnew, type Trial, trialFor } from "../probe/case-run.ts";
import { CaseEnd, Finding, withControl } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { mayWrite, sideOf } from "../probe/rule.ts";
import type { WriteGrant } from "../probe/write/budget.ts";
import { confirmed, needsConfirming, restsOnControls, type Violation } from "./confirm.ts";
import { dependsOnCase } from "./dependencies.ts";
import type { RunEvent } from "./events.ts";
import { type PlannedCase, sendsOf } from "./plan.ts";
import type { Ran } from "./ran.ts";
import { settleAll } from "./settle-all.ts";
import type { SideRun } from "./side.ts";

/** What the cases of all batches run with. */
export interface BatchContext {
  /** How the cases of each side are probed. Cases of any other side are settled before the run. */
  readonly sides: ReadonlyMap<Side, SideRun>;
  /** Of the stage that runs; see `Stage`. */
  readonly grant?: WriteGrant | undefined;
  /** No further case begins once it aborts. */
  readonly enough: AbortSignal;
  /** Receives the messages of faults of the suite itself. */
  readonly suiteErrors: string[];
  readonly emit: (event: RunEvent) => void;
  /** Receives each case that has ended, after its controls were sent again. */
  readonly settle: (ran: Ran) => void;
  /** Waits before something is tried again. Throws Interrupted. */
  readonly wait: (ms: number) => Promise<void>;
  /** Whether the run ends at the first violation of a MUST. Then a violation of a write does not wait for the other writes. */
  readonly bails: boolean;
}

const NONE: ReadonlySet<unknown> = new Set();

/** Cases that run before the next stage begins. */
export interface Stage {
  readonly cases: readonly PlannedCase[];
  /** What their writes may do that must be rejected. Default: each case begins a stage of its own. */
  readonly grant?: WriteGrant | undefined;
}

/** The cases of a stage that ran, and the reason why others did not. */
type StageRan = Awaited<ReturnType<typeof settleAll<Ran>>> & {
  /** Those that are settled before the batch is. Default: none. */
  readonly settled?: ReadonlySet<PlannedCase>;
};

/** Runs the cases of a stage, which belongs to the batch of this name. */
type RunStage = (
  stage: readonly PlannedCase[],
  context: BatchContext,
  name: string,
) => Promise<StageRan>;

/**
 * Runs cases, sends the controls that they rest on once more, and settles the cases. A finding that rests on a control
 * that is no longer accepted proves nothing.
 * @param name unique in the run; labels the repeated controls
 * @param stages run one after another; the iterator is asked for the next one when the one before has ended
 * @throws Interrupted after the cases are settled that do not rest on a control that was not repeated
 */
export async function runBatch(
  name: string,
  stages: Iterable<Stage>,
  context: BatchContext,
  runStage: RunStage,
): Promise<void> {
  const ran: Ran[] = [];
  let failure: { reason: unknown } | undefined;
  for (const { cases, grant } of stages) {
    const granted = { ...context, grant };
    const ended = await runStage(withoutExplained(cases, ran, context), granted, name);
    ran.push(...ended.done.filter(({ planned }) => !ended.settled?.has(planned)));
    ({ failure } = ended);
    if (failure || (context.bails && ended.done.some(isViolation))) break;
  }
  const closed = await close(name, ran, context);
  failure ??= closed.failure;
  if (failure) throw failure.reason;
}

/**
 * The cases of a stage that may prove something. Those that name an earlier case of the batch as the explanation of their failure are
 * settled where it failed, and send nothing: accepted writes are limited.
 */
function withoutExplained(
  stage: readonly PlannedCase[],
  ran: readonly Ran[],
  context: BatchContext,
): readonly PlannedCase[] {
  const failed = ran.filter(isViolation);
  return stage.filter((planned) => {
    const cause = failed.find((one) => dependsOnCase(planned, one.planned));
    if (!cause) return true;
    const { caseId } = cause.planned;
    context.emit({ type: "case-ran", id: planned.caseId });
    context.settle({
      planned,
      finding: Finding.inconclusive(phrase`not sent: ${caseId} failed before`),
    });
    return false;
  });
}

/** Sends the controls that cases rest on once more, and settles the cases that it can. */
async function close(
  name: string,
  ran: readonly Ran[],
  context: BatchContext,
): Promise<{ settled: number; failure?: { reason: unknown } | undefined }> {
  const used = new Map<unknown, SideRun>();
  for (const { planned, used: own = NONE } of ran) {
    for (const control of own) used.set(control, runOf(planned, context));
  }
  const repeated = await settleAll(
    [...used].map(
      async ([control, side]) =>
        [control, await repeatAfter(control, side, name, context)] as const,
    ),
  );
  const after = new Map(repeated.done);
  let count = 0;
  for (const one of ran) {
    const { planned, finding, used: own = NONE } = one;
    let settled = finding;
    const bracketed = [...own].every((control) => after.has(control));
    if (!bracketed && restsOnControls(finding)) continue;
    for (const control of own) {
      const result = after.get(control);
      if (result) settled = afterControl(settled, result, runOf(planned, context).nameOf(control));
    }
    context.settle({ ...one, finding: settled });
    count += 1;
  }
  return { settled: count, failure: repeated.failure };
}

/** What the last of the repetitions of a control came to; nothing where there was none. */
type Repeated = Awaited<ReturnType<SideRun["repeat"]>> | { readonly exchange?: undefined };

/** Sends a control again after the cases that rest on it, until it is refused. */
function repeatAfter(
  control: unknown,
  side: SideRun,
  name: string,
  { wait }: BatchContext,
): Promise<Repeated> {
  const row = SECOND_TRIES.afterCases;
  return tryAgain<Repeated>(
    row,
    {},
    (repeated) => !("refused" in repeated || "instead" in repeated),
    (_last, further) => side.repeat(control, numbered(name, further), row.how),
    wait,
  );
}

/** Whether a case shows that a MUST is violated, if its controls hold. */
function isViolation({ planned, finding }: Ran): boolean {
  return (
    finding.kind === "fail" && planned.level === "MUST" && (finding.atMost ?? "MUST") === "MUST"
  );
}

/** The finding of a case after a control that it rests on was sent again, to the endpoint with this name. */
function afterControl(finding: Finding, result: Repeated, name: string): Finding {
  if ("instead" in result) {
    const { evidence } = finding;
    return restsOnControls(finding)
      ? { ...result.instead, ...(evidence && { evidence }) }
      : finding;
  }
  const { exchange } = result;
  const settled = exchange === undefined ? finding : withControl(finding, exchange);
  if (!("refused" in result) || !restsOnControls(settled)) return settled;
  const reason = phrase`the control on ${name}, accepted before, was not accepted after: ${result.refused}`;
  return Finding.inconclusive(reason, settled.evidence);
}

/**
 * Runs the cases of a stage side by side, each with its confirmation. The first violation of a rule is settled at once, so that it
 * is shown while the run goes on.
 * @param slots limits how many cases run at once
 * @param priorityOf the priority of a case among those that wait in the same slots; above 0, its requests come before others
 */
export function sideBySide(
  slots: PQueue,
  priorityOf: (planned: PlannedCase) => number = () => 0,
): RunStage {
  return async (stage, context, name) => {
    const firstViolation = firstViolations(stage, context);
    const settled = new Set<PlannedCase>();
    const runCase = async (planned: PlannedCase, urgent: boolean): Promise<Ran> => {
      const tried = await tryCase(planned, context, urgent ? "urgent" : "ordinary");
      const ran = await confirm(tried, context);
      const first = firstViolation(ran);
      if (first) {
        const closed = await close(`${name}-failing-${first.planned.rule.id}`, [first], context);
        if (closed.settled === 1) settled.add(first.planned);
      }
      return ran;
    };
    const ended = await settleAll(
      // The slots also keep a token from being minted so early that it expires before it is sent.
      stage.map((planned) => {
        const priority = priorityOf(planned);
        return slots.add(() => runCase(planned, priority > 0), { priority });
      }),
    );
    return { ...ended, settled };
  };
}

/**
 * Finds the violation of each rule that comes first by the plan, whichever case ends first: equal runs settle the same ones. Cases
 * that may write are left out, since their controls would be sent again for that.
 * @returns takes a case that ended, and returns the violation that is now known to be the first of its rule
 */
function firstViolations(
  stage: readonly PlannedCase[],
  { sides }: BatchContext,
): (ran: Ran) => Ran | undefined {
  const readers = stage.filter(
    ({ rule, testCase }) => !mayWrite(testCase) && !sides.get(sideOf(rule))?.sequential,
  );
  // What sends least ends first, whatever began first.
  const soonest = readers.toSorted((a, b) => sendsOf(a) - sendsOf(b));
  const ofRule = groupBy(soonest, ({ rule }) => rule.id);
  const ended = new Map<PlannedCase, Ran>();
  const found = new Set<string>();
  return (ran) => {
    ended.set(ran.planned, ran);
    const { id } = ran.planned.rule;
    if (found.has(id)) return undefined;
    for (const planned of ofRule.get(id) ?? []) {
      const one = ended.get(planned);
      if (!one) return undefined;
      if (!isViolation(one)) continue;
      found.add(id);
      return one;
    }
    return undefined;
  };
}

/**
 * Tries all cases of a stage side by side. Then it tries those again that did not decide beside others, and confirms violations,
 * one after another, in the order of the stage: a confirmation makes anew what it reads, and may write for that. So the order
 * decides what each of them sees and may still write, and not timing.
 * @param slots limits how many cases are tried at once
 */
export function inOrder(slots: PQueue): RunStage {
  return async (stage, context) => {
    const isBeside = stage.length > 1 && stage.some(({ testCase }) => mayWrite(testCase));
    const trial = isBeside ? "beside writes" : "ordinary";
    const tried = await settleAll(
      stage.map((planned) => slots.add(() => tryCase(planned, context, trial))),
    );
    const done: Ran[] = [];
    let { failure } = tried;
    for (const ran of tried.done) {
      const finished = await settleAll([finishInOrder(ran, context)]);
      done.push(...finished.done);
      failure ??= finished.failure;
    }
    return { done, ...(failure && { failure }) };
  };
}

async function finishInOrder(first: Ran, context: BatchContext): Promise<Ran> {
  const row = SECOND_TRIES.besideWrites;
  const decided = await tryAgain(
    row,
    first,
    ({ finding }) => finding.kind === "inconclusive" && finding.retryAlone === true,
    async (last) => both(last, await tryCase(last.planned, context, trialFor(row))),
    context.wait,
  );
  return confirm(decided, context);
}

/** Runs the only case of a stage again, because of trouble. */
export const anew: RunStage = (stage, context) =>
  settleAll(
    stage.map(async (planned) =>
      confirm(await tryOnce(planned, context, trialFor(SECOND_TRIES.trouble)), context),
    ),
  );

/** Runs the only case of a stage again, because requests get one another's answers. It is not confirmed. */
export const apart: RunStage = (stage, context) =>
  settleAll(stage.map((planned) => tryOnce(planned, context, trialFor(SECOND_TRIES.crossed))));

/** Tries a case a second time if its finding has to be confirmed. */
async function confirm(first: Ran, context: BatchContext): Promise<Ran> {
  const { planned } = first;
  const row = SECOND_TRIES.violation;
  const ran = await tryAgain(
    row,
    first,
    (one): one is Ran & { finding: Violation } => needsConfirming(one.finding, planned),
    async (last) => {
      const second = await tryCase(planned, context, trialFor(row));
      return { ...both(last, second), ...confirmed(last.finding, second.finding) };
    },
    context.wait,
  );
  context.emit({ type: "case-ran", id: planned.caseId });
  return ran;
}

/** Tries a case, and in the same way again if requests were sent and the answers proved nothing. */
async function tryCase(planned: PlannedCase, context: BatchContext, trial: Trial): Promise<Ran> {
  const isUndecided = ({ finding }: Ran): boolean => {
    if (finding.kind !== "inconclusive" || finding.code === "crash") return false;
    return isAnew({ trial }) || (finding.evidence?.probes.length ?? 0) > 0;
  };
  return tryAgain(
    SECOND_TRIES.undecided,
    await tryOnce(planned, context, trial),
    isUndecided,
    async (last) => both(last, await tryOnce(planned, context, trial)),
    context.wait,
  );
}

/** The second try of a case, with the controls of both tries and the time that both waited. */
function both(first: Ran, second: Ran): Ran {
  const waited = [first, second].flatMap(({ waitedMs }) => waitedMs ?? []);
  return {
    ...second,
    used: new Set([...(first.used ?? NONE), ...(second.used ?? NONE)]),
    ...(waited.length > 0 && { waitedMs: waited.reduce((sum, ms) => sum + ms) }),
  };
}

function runOf({ rule }: PlannedCase, { sides }: BatchContext): SideRun {
  const side = sides.get(sideOf(rule));
  if (!side) throw new TypeError(`${rule.id} is of a side that is not part of the run`);
  return side;
}

async function tryOnce(planned: PlannedCase, context: BatchContext, trial: Trial): Promise<Ran> {
  if (context.enough.aborted) throw new Interrupted();
  const side = runOf(planned, context);
  const made = side.createProbe(planned, trial, context.grant);
  const found = await findingOf(planned, made.probe, context);
  const used = planned.testCase.control?.bracket === "before" ? NONE : made.used;
  const finding = (await side.checkAtOnce?.(planned, found, used)) ?? found;
  return { planned, finding, used, waitedMs: made.waitedMs };
}

async function findingOf(
  { testCase, caseId }: PlannedCase,
  probe: unknown,
  { suiteErrors }: BatchContext,
): Promise<Finding> {
  try {
    return await testCase.judge(probe);
  } catch (error) {
    if (error instanceof CaseEnd) return error.finding;
    if (error instanceof Interrupted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    suiteErrors.push(`${caseId}: ${message}`);
    return Finding.inconclusive(phrase`a fault of the suite: ${message}`);
  }
}
