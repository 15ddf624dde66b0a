import PQueue from "p-queue";

import type { OperationId } from "../contract/operations.ts";
import { groupBy } from "../lib/group-by.ts";
import { mayWrite, type Phase, sideOf } from "../probe/rule.ts";
import { type BatchContext, inOrder, runBatch, sideBySide, type Stage } from "./batch.ts";
import { type Plan, type PlannedCase, sendsOf } from "./plan.ts";
import { interruptible, settleAll } from "./settle-all.ts";
import { writingStages } from "./writing-stages.ts";

/** The controls of so many cases are sent again together. Until then nothing is known of these cases, so the first ones are few. */
const BATCH = 128;
const FIRST_BATCH = 16;
/** Cases that run for each request in flight: one case can mint a token while another one waits for an answer. */
const CASES_PER_REQUEST = 2;

/** Cases that begin before the deployment is looked at. */
export interface Ahead {
  readonly cases: ReadonlySet<PlannedCase>;
  /** Settled when they have ended. */
  readonly done: Promise<void>;
}

/**
 * Begins the reads of `probe` on an operation for which nothing else has to be found.
 * @param name unique in the run
 * @param operation one with a control that is known to be accepted
 * @param slots where all reads of the run wait; see `slotsFor`
 */
export function beginAhead(
  name: string,
  plan: Plan,
  operation: OperationId,
  slots: PQueue,
  context: BatchContext,
): Ahead {
  const reading = casesOf("reading", plan, context);
  const cases = reading.filter(
    ({ open, testCase }) => open.length === 0 && testCase.operation === operation,
  );
  const first = firstRound(reading);
  const done = interruptible(undefined, () => runReads(name, cases, first, slots, context));
  return { cases: new Set(cases), done };
}

/**
 * Runs the planned cases, one phase after another; see `Phase`. Two kinds of cases disturb no others and so run beside other
 * phases: cases that wait run beside all phases except the last, and cases of `probe` that only read run beside the
 * writes of `probe`, beside `state`, and beside the writes of `record` that ask for errors. These in turn run beside the reads of
 * `state`, because they must be rejected. An interrupt ends each part without an error.
 * @param ahead cases that have begun already
 * @param concurrency requests in flight at once
 * @param reads where all reads of the run wait; see `slotsFor`
 * @param lookAgain called before the last phase, and after it
 */
export async function runPhases(
  plan: Plan,
  ahead: readonly Ahead[],
  concurrency: number,
  reads: PQueue,
  context: BatchContext,
  lookAgain: () => Promise<void>,
): Promise<void> {
  const begun = new Set(ahead.flatMap(({ cases }) => [...cases]));
  const first = firstRound(casesOf("reading", plan, context));
  const left = (part: Part): PlannedCase[] =>
    casesOf(part, plan, context).filter((planned) => !begun.has(planned));
  const inLanes = (
    part: Part,
    run: (name: string, lane: readonly PlannedCase[]) => Promise<void> = (name, lane) =>
      runLane(name, lane, slotsFor(concurrency), context),
  ): Promise<void> =>
    interruptible(undefined, () =>
      together(lanesOf(left(part), context), (lane, at) => run(`${part}-${at + 1}`, lane)),
    );
  const undisturbed = (part: "state" | "quiet", afterWrites?: () => void): Promise<void> =>
    interruptible(undefined, () => {
      const stages = undisturbedStages(part, left(part), context, afterWrites);
      return runBatch(part, stages, context, inOrder(slotsFor(concurrency)));
    });
  await allOf(
    () => inLanes("waiting"),
    async () => {
      await allOf(
        () => together(ahead, ({ done }) => done),
        () => inLanes("reading", (name, lane) => runReads(name, lane, first, reads, context)),
        async () => {
          await inLanes("writing", async (name, lane) => {
            if (!isSequential(lane, context)) await firstRoundBegun(reads, first);
            await runLane(name, lane, slotsFor(concurrency), context);
          });
          let asking: Promise<void> | undefined;
          const ask = (): Promise<void> => (asking ??= inLanes("asking"));
          try {
            // If it fails beside the rest of `state`, the phases fail with it below.
            await undisturbed("state", () => void settleAll([ask()]));
          } finally {
            await ask();
          }
        },
      );
      await undisturbed("quiet");
    },
  );
  await interruptible(undefined, () => {
    const alone = left("trouble").map((planned) => ({ cases: [planned] }));
    return runBatch("trouble", alone, context, inOrder(slotsFor(concurrency)));
  });
  await interruptible(undefined, lookAgain);
  await inLanes("record");
  await interruptible(undefined, lookAgain);
}

/** A phase, or a part of the phase `probe` or `record`. */
type Part = Exclude<Phase, "probe"> | "reading" | "writing" | "asking";

/** The cases of a part that send something. */
function casesOf(part: Part, plan: Plan, context: BatchContext): PlannedCase[] {
  return plan.cases.filter((planned) => !planned.settled && partOf(planned, context) === part);
}

function partOf({ phase, rule, testCase }: PlannedCase, { sides }: BatchContext): Part {
  // They rest on no answers but those to other writes of their operation.
  if (phase === "record" && testCase.writes === "beside") return "asking";
  if (phase !== "probe" && phase !== "waiting") return phase;
  // A sequential side has all its cases in one lane, and some of them write.
  if (mayWrite(testCase) || sides.get(sideOf(rule))?.sequential) return "writing";
  return phase === "waiting" ? "waiting" : "reading";
}

function isSequential(lane: readonly PlannedCase[], { sides }: BatchContext): boolean {
  return lane.some(({ rule }) => sides.get(sideOf(rule))?.sequential);
}

/** Writes begin when the reads of the first round have begun, because those show most faults. */
async function firstRoundBegun(reads: PQueue, first: ReadonlyMap<string, number>): Promise<void> {
  for (const priority of new Set(first.values())) {
    while (reads.sizeBy({ priority }) > 0) {
      await new Promise<void>((begun) => reads.once("next", begun));
    }
  }
}

/** @returns a queue of cases, for so many requests in flight at once */
export function slotsFor(concurrency: number): PQueue {
  return new PQueue({ concurrency: concurrency * CASES_PER_REQUEST });
}

/** Runs the reads of an operation, those of the first round before all others that wait in the same slots. */
async function runReads(
  name: string,
  cases: readonly PlannedCase[],
  first: ReadonlyMap<string, number>,
  slots: PQueue,
  context: BatchContext,
): Promise<void> {
  const priorityOf = ({ caseId }: PlannedCase): number => first.get(caseId) ?? 0;
  const soon = cases
    .filter((planned) => priorityOf(planned) > 0)
    .toSorted((a, b) => priorityOf(b) - priorityOf(a));
  // What sends most begins first, so that nothing goes on alone at the end.
  const later = cases
    .filter((planned) => priorityOf(planned) === 0)
    .toSorted((a, b) => sendsOf(b) - sendsOf(a));
  const batches = [
    soon.slice(0, FIRST_BATCH),
    ...inBatches(soon.slice(FIRST_BATCH)),
    ...inBatches(later),
  ].filter(({ length }) => length > 0);
  await together(batches, (batch, at) =>
    runBatch(`${name}-${at + 1}`, [{ cases: batch }], context, sideBySide(slots, priorityOf)),
  );
}

function inBatches(cases: readonly PlannedCase[]): (readonly PlannedCase[])[] {
  return Array.from({ length: Math.ceil(cases.length / BATCH) }, (_, at) =>
    cases.slice(at * BATCH, (at + 1) * BATCH),
  );
}

/**
 * Stages of cases that read state. A case that writes would disturb the others, so it is a stage of its own, together
 * with those that it is declared to go `beside`. Cases that only read disturb nobody, so they run together after the last write. The
 * first one of each operation runs ahead of the others, alone, because it may have to create what they all read. In `quiet` the
 * others go one by one too: what they look at may follow from the request before.
 */
function* undisturbedStages(
  part: "state" | "quiet",
  cases: readonly PlannedCase[],
  context: BatchContext,
  afterWrites?: () => void,
): Generator<Stage> {
  const writing = cases.filter(({ testCase }) => mayWrite(testCase));
  const groups = groupBy(writing, ({ rule, testCase, caseId }) =>
    testCase.writes === "beside" ? rule.id : caseId,
  );
  for (const group of groups.values()) yield { cases: group };
  // The next stage is asked for when the one before has ended.
  afterWrites?.();
  const reading = cases.filter(({ testCase }) => !mayWrite(testCase));
  const lanes = lanesOf(reading, context);
  for (const lane of lanes) yield { cases: lane.slice(0, 1) };
  const others = lanes.flatMap((lane) => lane.slice(1));
  const stages = part === "quiet" ? others.map((planned) => [planned]) : [others];
  yield* stages.map((stage) => ({ cases: stage }));
}

/**
 * Groups cases by operation or endpoint; cases with neither are one group. A sequential side has one lane for all its cases. Each
 * case that waits has its own lane, because it takes as long as all other cases together.
 */
function lanesOf(cases: readonly PlannedCase[], context: BatchContext): PlannedCase[][] {
  const lanes = groupBy(cases, (planned) => {
    if (partOf(planned, context) === "waiting") return planned.caseId;
    const side = sideOf(planned.rule);
    const { operation, endpoint = "" } = planned.testCase;
    return context.sides.get(side)?.sequential ? side : `${side} ${operation ?? endpoint}`;
  });
  return [...lanes.values()];
}

async function runLane(
  name: string,
  lane: readonly PlannedCase[],
  slots: PQueue,
  context: BatchContext,
): Promise<void> {
  const [first] = lane;
  const side = first && context.sides.get(sideOf(first.rule));
  if (side?.sequential) {
    await runBatch(
      `${name}-1`,
      [{ cases: lane }],
      context,
      sideBySide(new PQueue({ concurrency: 1 })),
    );
    return;
  }
  if (first && lane.every(({ testCase }) => mayWrite(testCase))) {
    // The controls of a write are writes too, so they are sent again only once, at the end.
    const stages = writingStages(lane, (level) => side?.beginWritingStage?.({ ...first, level }));
    await runBatch(`${name}-1`, stages, context, inOrder(slots));
    return;
  }
  // All batches are queued at once, so that no batch waits for the controls of the previous one.
  await together(inBatches(lane), (batch, at) =>
    runBatch(`${name}-${at + 1}`, [{ cases: batch }], context, sideBySide(slots)),
  );
}

async function allOf(...parts: readonly (() => Promise<void>)[]): Promise<void> {
  await together(parts, (work) => work());
}

async function together<T>(
  things: readonly T[],
  work: (thing: T, index: number) => Promise<void>,
): Promise<void> {
  const { failure } = await settleAll(things.map(work));
  if (failure) throw failure.reason;
}

/**
 * The cases that come first, because they show most failures soon: each way of each MUST rule once, and the rules take turns. A way
 * is what `<rule>/<way>@<operation>` tries. If several operations have it, it comes first where one organization is viewed, so that
 * few controls serve all of them.
 * @returns their ids, each with its priority: those with the highest come first
 */
function firstRound(cases: readonly PlannedCase[]): ReadonlyMap<string, number> {
  const musts = cases.filter(({ level }) => level === "MUST");
  const ways = groupBy(musts, ({ caseId }) => caseId.replace(/@[^@/]*$/, ""));
  const chosen = [...ways.values()].flatMap((same) => {
    const viewing = same.find(({ testCase }) => testCase.operation === "viewOrganization");
    return viewing ?? same.slice(0, 1);
  });
  const rules = [...groupBy(chosen, ({ rule }) => rule.id).values()];
  const turns = Math.max(0, ...rules.map(({ length }) => length));
  return new Map(
    rules.flatMap((ofRule) => ofRule.map(({ caseId }, turn) => [caseId, turns - turn] as const)),
  );
}
