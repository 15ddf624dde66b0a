import PQueue from "p-queue";

import { OPERATION_IDS, type OperationId, OPERATIONS } from "../contract/operations.ts";
import { requirementsVersion } from "../contract/requirements.ts";
import { createHttpClient, Interrupted } from "../http/client.ts";
import { createListener } from "../http/listener.ts";
import { suiteVersion } from "../package-root.ts";
import { type Controls, createControls } from "../probe/controls.ts";
import type { Rule } from "../probe/rule.ts";
import { createSession } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import { remoteDocuments } from "../tokens/remote-documents.ts";
import { allEnded } from "./all-ended.ts";
import { type BatchContext, runBatch } from "./batch.ts";
import type { CaseResult, RunEvent, RunFinished } from "./events.ts";
import { assignBlame, judge, type Judgeable, verdictOf } from "./judge.ts";
import { observe } from "./observations.ts";
import { type Plan, type PlannedCase, planRun } from "./plan.ts";
import { preflight } from "./preflight.ts";
import { redactEvent } from "./redact-event.ts";
import { setBack } from "./set-back.ts";
import { diagnoseSetup } from "./setup.ts";
import { verdictText } from "./verdict-text.ts";

export interface RunOptions {
  readonly target: Target;
  /** In the order of the registry: a rule after those it depends on. */
  readonly rules: readonly Rule[];
  /** Globs over rule ids and case names; default: all. */
  readonly patterns?: readonly string[] | undefined;
  readonly seed: number;
  /** Requests in flight at once; default 8. */
  readonly concurrency?: number | undefined;
  /** How long an accepted write may take to show, in milliseconds; default 5000. */
  readonly patienceMs?: number | undefined;
  /** Interrupts the run: what was judged is still reported. */
  readonly signal?: AbortSignal | undefined;
  /** Receives what happens, in order; see `RunEvent`. */
  readonly emit: (event: RunEvent) => void;
}

/** Cases between two sendings of the controls they lean on. */
const BATCH = 64;
const CONCURRENCY = 8;
/** Cases at once for each request in flight: while one case mints a token, another one sends. */
const CASES_PER_REQUEST = 2;

/**
 * Runs the selected cases against a target and emits what happens.
 * @returns the last event
 * @throws UserError when a pattern matches nothing or the target cannot be reached
 */
export async function run(options: RunOptions): Promise<RunFinished> {
  const { target, seed, signal, concurrency = CONCURRENCY } = options;
  const began = performance.now();
  const plan = planRun(target, options.rules, options.patterns ?? []);
  const http = createHttpClient(target, {
    concurrency,
    signal,
    userAgent: `orgsync-conformance/${suiteVersion}`,
    onExchange: (exchange) => emit({ type: "exchange", exchange }),
  });
  const emit = (event: RunEvent): void => options.emit(redactEvent(event, http.redact));
  const listener = createListener(target.request.callback, remoteDocuments(target));
  emit(started(target, seed));
  emit({
    type: "run-planned",
    rules: plan.heads,
    cases: plan.cases.length,
    excluded: plan.excluded,
  });
  try {
    const clockOffsetSeconds = await interruptible(undefined, () => preflight(target, http));
    const session = createSession(
      target,
      http,
      seed,
      clockOffsetSeconds,
      listener,
      options.patienceMs,
    );
    const controls = createControls(session);
    const suiteErrors: string[] = [];
    const setup = await interruptible([], async () => {
      const needed = operationsOf(plan);
      await calibrate(controls, needed);
      return diagnoseSetup(session, controls, needed);
    });
    const judged: Judgeable[] = [];
    await runPhases(plan, concurrency, {
      session,
      controls,
      suiteErrors,
      emit,
      settled: (planned, finding, flaky) => judged.push({ planned, finding, flaky }),
    });
    const leftBehind = await interruptible([], () => setBack(session, controls));
    const rules = new Map(options.rules.map((rule) => [rule.id, rule]));
    const results = assignBlame(inOrder(plan, judged), (id) => rules.get(id)?.dependsOn ?? []);
    for (const result of results) emit({ type: "case-judged", result });
    const interrupted = signal?.aborted ?? false;
    const partialBecause = [
      ...plan.partialBecause,
      ...(interrupted ? ["the run was interrupted"] : []),
    ];
    const left = plan.cases.filter(({ level }) => level === "MUST").length - mustsOf(results);
    const verdict = verdictOf(results, left);
    const finished: RunFinished = redactEvent(
      {
        type: "run-finished",
        verdict,
        verdictText: verdictText(verdict, results, left, partialBecause),
        partialBecause,
        scope: "receiver",
        setup,
        diagnoses: [],
        observations: [...observe(session, results), ...leftBehind],
        requests: http.requests,
        writes: Object.fromEntries(session.acceptedWrites),
        durationMs: Math.round(performance.now() - began),
        interrupted,
        suiteErrors,
      },
      http.redact,
    );
    options.emit(finished);
    return finished;
  } finally {
    await Promise.all([http.close(), listener.close()]);
  }
}

function started(target: Target, seed: number): RunEvent {
  return {
    type: "run-started",
    suite: {
      name: "orgsync-conformance",
      version: suiteVersion,
      requirements: requirementsVersion,
    },
    target: {
      baseUrl: target.baseUrl,
      audience: target.audience,
      issuer: target.issuer.url,
      algorithm: target.issuer.key.alg,
      readOnly: !target.writes,
    },
    seed,
    startedAt: new Date().toISOString(),
  };
}

function operationsOf(plan: Plan): OperationId[] {
  const used = new Set(
    plan.cases.filter(({ settled }) => !settled).map(({ testCase }) => testCase.operation),
  );
  return OPERATION_IDS.filter((id) => used.has(id));
}

/** Finds the good requests, one operation after the other: each profits from what the ones before it took. */
async function calibrate(controls: Controls, operations: readonly OperationId[]): Promise<void> {
  for (const id of operations) await controls.get(id);
}

async function runPhases(plan: Plan, concurrency: number, context: BatchContext): Promise<void> {
  for (const planned of plan.cases) {
    if (planned.settled) context.settled(planned, planned.settled, false);
  }
  for (const phase of ["probe", "state", "record"] as const) {
    const cases = plan.cases.filter((planned) => planned.phase === phase && !planned.settled);
    const alone = phase === "state";
    const lanes = alone ? [cases] : lanesOf(cases);
    await interruptible(undefined, async () => {
      const { failure } = await allEnded(
        lanes.map(async (lane, number) => {
          // Each lane its own: writes take turns, and nobody else is to wait for theirs.
          const slots = new PQueue({ concurrency: alone ? 1 : concurrency * CASES_PER_REQUEST });
          // The controls of a write are writes too, and so are sent once more at the end alone.
          const size = writes(lane) ? lane.length : BATCH;
          for (let at = 0; at < lane.length; at += size) {
            const name = `${phase}-${number + 1}-${at / size + 1}`;
            await runBatch(name, lane.slice(at, at + size), slots, context);
          }
        }),
      );
      if (failure) throw failure.reason;
    });
  }
}

function writes(lane: readonly PlannedCase[]): boolean {
  return lane.every(({ testCase: { operation } }) => operation && OPERATIONS[operation].writes);
}

/** The cases of each operation, and those of none. */
function lanesOf(cases: readonly PlannedCase[]): PlannedCase[][] {
  const lanes = new Map<OperationId | undefined, PlannedCase[]>();
  for (const planned of cases) {
    const { operation } = planned.testCase;
    const lane = lanes.get(operation);
    if (lane) lane.push(planned);
    else lanes.set(operation, [planned]);
  }
  return [...lanes.values()];
}

function inOrder(plan: Plan, judged: readonly Judgeable[]): CaseResult[] {
  const byName = new Map(judged.map((one) => [one.planned.name, one]));
  return plan.cases.flatMap(({ name }) => {
    const one = byName.get(name);
    return one ? [judge(one)] : [];
  });
}

function mustsOf(results: readonly CaseResult[]): number {
  return results.filter(({ level }) => level === "MUST").length;
}

/** What was done before an interrupt stays done; everything else passes through. */
async function interruptible<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) return otherwise;
    throw error;
  }
}
