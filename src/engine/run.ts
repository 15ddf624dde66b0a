import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { requirementsVersion } from "../contract/requirements.ts";
import { createHttpClient, Interrupted } from "../http/client.ts";
import { suiteVersion } from "../package-root.ts";
import { type Controls, createControls } from "../probe/controls.ts";
import type { Rule } from "../probe/rule.ts";
import { createSession, type Session } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import { runBatch } from "./batch.ts";
import type { CaseResult, RunEvent, RunFinished } from "./events.ts";
import { assignBlame, judge, type Judgeable, verdictOf } from "./judge.ts";
import { observe } from "./observations.ts";
import { type Plan, type PlannedCase, planRun } from "./plan.ts";
import { preflight } from "./preflight.ts";
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
  /** Interrupts the run: what was judged is still reported. */
  readonly signal?: AbortSignal | undefined;
  /** Receives what happens, in order; see `RunEvent`. */
  readonly emit: (event: RunEvent) => void;
}

/** Cases between two sendings of the controls they lean on. */
const BATCH = 64;

/**
 * Runs the selected cases against a target and emits what happens.
 * @returns the last event
 * @throws UserError when a pattern matches nothing or the target cannot be reached
 */
export async function run(options: RunOptions): Promise<RunFinished> {
  const { target, seed, signal, emit } = options;
  const began = performance.now();
  const plan = planRun(target, options.rules, options.patterns ?? []);
  const http = createHttpClient(target, {
    concurrency: options.concurrency,
    signal,
    userAgent: `orgsync-conformance/${suiteVersion}`,
    onExchange: (exchange) => emit({ type: "exchange", exchange }),
  });
  emit(started(target, seed));
  emit({
    type: "run-planned",
    rules: plan.heads,
    cases: plan.cases.length,
    excluded: plan.excluded,
  });
  try {
    const session = createSession(target, http, seed, await preflight(target, http));
    const controls = createControls(session);
    const suiteErrors: string[] = [];
    const setup = await interruptible([], async () => {
      const needed = operationsOf(plan);
      await calibrate(controls, needed);
      return diagnoseSetup(session, controls, needed);
    });
    const judged = await interruptible([], () =>
      runPhases(plan, session, controls, suiteErrors, emit),
    );
    const rules = new Map(options.rules.map((rule) => [rule.id, rule]));
    const results = assignBlame(inOrder(plan, judged), (id) => rules.get(id)?.dependsOn ?? []);
    for (const result of results) emit({ type: "case-judged", result });
    const interrupted = signal?.aborted ?? false;
    const partialBecause = [
      ...plan.partialBecause,
      ...(interrupted ? ["the run was interrupted"] : []),
    ];
    const verdict = results.length === 0 ? "incomplete" : verdictOf(results);
    const finished: RunFinished = {
      type: "run-finished",
      verdict,
      verdictText: verdictText(verdict, results, partialBecause),
      partialBecause,
      scope: "receiver",
      setup,
      observations: observe(session, results),
      requests: http.requests,
      writes: Object.fromEntries(session.acceptedWrites),
      durationMs: Math.round(performance.now() - began),
      interrupted,
      suiteErrors,
    };
    emit(finished);
    return finished;
  } finally {
    await http.close();
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

/** Finds the good requests: one operation alone first, so that the others profit from what it takes. */
async function calibrate(controls: Controls, operations: readonly OperationId[]): Promise<void> {
  const [first, ...others] = operations;
  if (!first) return;
  await controls.get(first);
  await Promise.all(others.map((id) => controls.get(id)));
}

async function runPhases(
  plan: Plan,
  session: Session,
  controls: Controls,
  suiteErrors: string[],
  emit: RunOptions["emit"],
): Promise<Judgeable[]> {
  const judged: Judgeable[] = [];
  const settled = (planned: PlannedCase, finding: Judgeable["finding"], flaky: boolean): void => {
    judged.push({ planned, finding, flaky });
  };
  const context = { session, controls, suiteErrors, emit, settled };
  for (const planned of plan.cases) if (planned.settled) settled(planned, planned.settled, false);
  for (const phase of ["probe", "state", "record"] as const) {
    const cases = plan.cases.filter((planned) => planned.phase === phase && !planned.settled);
    const lanes = phase === "state" ? [cases] : lanesOf(cases);
    const size = phase === "state" ? 1 : BATCH;
    await interruptible(undefined, async () => {
      await Promise.all(
        lanes.map(async (lane) => {
          for (let at = 0; at < lane.length; at += size) {
            await runBatch(lane.slice(at, at + size), context);
          }
        }),
      );
    });
  }
  return judged;
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

/** What was done before an interrupt stays done; everything else passes through. */
async function interruptible<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) return otherwise;
    throw error;
  }
}
