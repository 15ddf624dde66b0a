import { setMaxListeners } from "node:events";

import type { Side } from "../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { requirementsVersion } from "../contract/requirements.ts";
import { createHttpClient, Interrupted } from "../http/client.ts";
import type { Exchange } from "../http/exchange.ts";
import { createListener } from "../http/listener.ts";
import type { KeyRotation } from "../keys/rotate.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { createControls } from "../probe/controls.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { type Rule, sideOf } from "../probe/rule.ts";
import { createSession } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import { blocked, explained } from "../setup/blocked-run.ts";
import { lookAtSetup, type Setup } from "../setup/diagnose.ts";
import type { SetupCheck } from "../setup/fault.ts";
import { preflight } from "../setup/reach.ts";
import { remoteDocuments } from "../tokens/remote-documents.ts";
import type { BatchContext } from "./batch.ts";
import { cleanUp } from "./clean-up.ts";
import { closeAll } from "./close-all.ts";
import { crashProblems } from "./crashes.ts";
import { diagnose } from "./diagnose.ts";
import type { CaseResult, RunEvent, RunFinished } from "./events.ts";
import { gatewayProblems } from "./gateway.ts";
import { idleMs } from "./idle.ts";
import { assignBlame, isJudged, judge, type Judgeable, verdictOf } from "./judge.ts";
import { observe } from "./observations.ts";
import { runPhases } from "./phases.ts";
import { type NamedCases, openNeeds, type Plan, planRun, settleOpen } from "./plan.ts";
import { plannedTarget } from "./planned-target.ts";
import { publishTestIssuer } from "./publish-issuer.ts";
import { receiverSide } from "./receiver-side.ts";
import { redactEvent } from "./redact-event.ts";
import { digestOfRules } from "./rules-digest.ts";
import { scopeOf } from "./scope.ts";
import type { OpenSide, SideContext, SideOpener, SideRun } from "./side.ts";
import { readKnownFaults } from "./signatures.ts";
import { noteTarget } from "./target-note.ts";
import { verdictText } from "./verdict-text.ts";

/** The options of a run. */
export interface RunOptions {
  readonly target: Target;
  /** In the order of the registry: a rule comes after the rules that it depends on. */
  readonly rules: readonly Rule[];
  /** Globs over rule ids and case names; default: all. */
  readonly patterns?: readonly string[] | undefined;
  /** Restricts the run to these cases; default: no restriction. */
  readonly only?: NamedCases | undefined;
  readonly seed: number;
  /** The most requests under way at once; default 8. */
  readonly concurrency?: number | undefined;
  /** The longest time for an accepted write to become visible, in milliseconds; default 5000. */
  readonly patienceMs?: number | undefined;
  /** Interrupts the run. The judged cases are still reported. */
  readonly signal?: AbortSignal | undefined;
  /** Sides other than the receiver; default: none. */
  readonly sides?: readonly SideOpener[] | undefined;
  /**
   * Ends the run at its time limit. Cases that were not reached are inconclusive and count in the
   * verdict.
   */
  readonly deadline?: AbortSignal | undefined;
  /** Receives the events in order; see `RunEvent`. */
  readonly emit: (event: RunEvent) => void;
}

const CONCURRENCY = 8;
const NOT_REACHED: Finding = {
  kind: "inconclusive",
  reason: phrase`the time limit of the run was reached before it was judged`,
};
const NOT_LOOKED_AT: Setup = { faults: [], results: new Map(), acceptsSomeToken: true };

/**
 * Runs the selected cases against a target and emits the events.
 * @returns the last event
 * @throws SuiteError when a pattern matches nothing, the target cannot be reached, or the suite
 * cannot listen for keys
 */
export async function run(options: RunOptions): Promise<RunFinished> {
  const { target: profiled, seed, concurrency = CONCURRENCY } = options;
  const ends = [options.signal, options.deadline].filter((one) => one !== undefined);
  const signal = AbortSignal.any(ends);
  // Each case that runs and each request that waits has a listener.
  setMaxListeners(0, signal);
  const began = performance.now();
  const planned = planRun(profiled, options.rules, options.patterns ?? [], options.only);
  const exchanges: Exchange[] = [];
  const opened: OpenSide[] = [];
  const clientOptions = {
    signal,
    onExchange(exchange: Exchange) {
      exchanges.push(exchange);
      emit({ type: "exchange", exchange });
    },
  };
  const http = createHttpClient(profiled, { ...clientOptions, concurrency });
  const emit = (event: RunEvent): void => options.emit(redactEvent(event, http.redact));
  const listener = createListener(profiled.request.callback, remoteDocuments(profiled));
  emit(started(profiled, seed));
  emit({
    type: "run-planned",
    rules: planned.heads,
    cases: planned.cases.length,
    excluded: planned.excluded,
    plan: {
      rules: digestOfRules(options.rules),
      patterns: options.patterns ?? [],
      ...(options.only && { only: options.only.what }),
      target: plannedTarget(profiled),
    },
  });
  let published: KeyRotation | undefined;
  try {
    published = await publishTestIssuer(profiled);
    const clockOffsetSeconds = await interruptible(undefined, () => preflight(profiled, http));
    let receiver: ReturnType<SideContext["receiver"]> | undefined;
    for (const open of options.sides ?? []) {
      const side = open({
        target: profiled,
        http: clientOptions,
        receiver: () => receiver ?? neverOpened(),
      });
      if (side) opened.push(side);
    }
    const tokens = opened.find((side) => side.tokens)?.tokens;
    const target = await interruptible(
      profiled,
      async () => (await tokens?.describe()) ?? profiled,
    );
    const session = createSession(target, http, seed, clockOffsetSeconds, listener, {
      patienceMs: options.patienceMs,
      publishedKeys: published,
      tokens,
    });
    const controls = createControls(session);
    const suiteErrors: string[] = [];
    const setup = await interruptible(NOT_LOOKED_AT, () =>
      lookAtSetup(session, controls, {
        operations: operationsOf(planned),
        needs: openNeeds(planned),
      }),
    );
    const plan = setup.found ? settleOpen(planned, setup.found) : planned;
    const stops = !setup.acceptsSomeToken;
    const judged: Judgeable[] = [];
    const settled: BatchContext["settled"] = (one, finding, how) => {
      const muted = stops && sideOf(one.rule) === "receiver";
      judged.push({ planned: one, finding: muted ? explained(finding) : finding, ...how });
    };
    for (const one of plan.cases) {
      if (one.settled) settled(one, one.settled);
    }
    const view = stops ? blocked(session, controls, setup) : { session, controls };
    // A blocked receiver does not block the other side.
    receiver = { session, controls };
    const running = new Map<Side, SideRun>(
      opened.flatMap(({ run: side }) => (side ? [[side.side, side] as const] : [])),
    );
    running.set("receiver", receiverSide(view.session, view.controls));
    const context: BatchContext = { sides: running, suiteErrors, emit, settled };
    await runPhases(plan, concurrency, context, (part) => interruptible(undefined, part));
    const timedOut = (options.deadline?.aborted ?? false) && !options.signal?.aborted;
    if (timedOut) {
      const reached = new Set(judged.map((one) => one.planned));
      for (const one of plan.cases) {
        if (!reached.has(one)) settled(one, NOT_REACHED);
      }
    }
    const leftBehind = await interruptible([], () => cleanUp(session, controls));
    const results = assignBlame(inOrder(plan, judged), options.rules);
    for (const result of results) emit({ type: "case-judged", result });
    const interrupted = options.signal?.aborted ?? false;
    const partialBecause = [
      ...plan.partialBecause,
      ...(interrupted ? ["the run was interrupted"] : []),
      ...(timedOut ? ["its time limit was reached"] : []),
    ];
    const musts = results.filter(({ level }) => level === "MUST");
    const left = plan.cases.filter(({ level }) => level === "MUST").length - musts.length;
    const verdict = verdictOf(results, left, partialBecause.length > 0);
    const coverage = { judged: musts.filter(isJudged).length, total: plan.allMusts };
    const scope = scopeOf(plan, results);
    const { wantTestIssuer } = plan;
    const course = {
      wantTestIssuer,
      left,
      partialBecause,
      coverage,
      sides: scope.sides,
      blocked: stops,
    };
    const finished: RunFinished = redactEvent(
      {
        type: "run-finished",
        verdict,
        verdictText: verdictText(verdict, results, course),
        partialBecause,
        scope,
        coverage,
        setup: [
          ...crashProblems(http.outages),
          // The set-up faults say already why nothing is answered.
          ...(lacking(setup, "available") ? [] : gatewayProblems(exchanges, results)),
          ...setup.faults.map(({ problem, remedy }) => ({ problem, remedy })),
        ],
        diagnoses: diagnose(results, readKnownFaults),
        observations: [...observe(session, results), ...leftBehind],
        requests: opened.reduce((sum, side) => sum + side.requests, http.requests),
        writes: Object.fromEntries(
          OPERATION_IDS.flatMap((id) => {
            const writes = session.acceptedWrites.get(id);
            return writes === undefined ? [] : [[id, writes]];
          }),
        ),
        durationMs: Math.round(performance.now() - began),
        waitedMs: idleMs(session.waits, exchanges),
        interrupted,
        suiteErrors,
      },
      http.redact,
    );
    options.emit(finished);
    return finished;
  } finally {
    await closeAll([
      http.close(),
      listener.close(),
      published?.close(),
      profiled.document?.close(),
      ...opened.map((side) => side.close()),
    ]);
  }
}

function neverOpened(): never {
  throw new TypeError("the receiver is not started yet");
}

function started(target: Target, seed: number): RunEvent {
  return {
    type: "run-started",
    suite: {
      name: "orgsync-conformance",
      version: suiteVersion,
      requirements: requirementsVersion,
    },
    target: noteTarget(target),
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

function inOrder(plan: Plan, judged: readonly Judgeable[]): CaseResult[] {
  const byId = new Map(judged.map((one) => [one.planned.caseId, one]));
  return plan.cases.flatMap(({ caseId }) => {
    const one = byId.get(caseId);
    return one ? [judge(one)] : [];
  });
}

function lacking({ faults }: Setup, check: SetupCheck): boolean {
  return faults.some((fault) => fault.check === check);
}

/** Runs part of a run. An interrupt gives `otherwise`; every other error passes through. */
async function interruptible<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) return otherwise;
    throw error;
  }
}
