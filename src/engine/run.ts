import { setMaxListeners } from "node:events";

import { requirementsVersion } from "../contract/requirements.ts";
import { createHttpClient, DEFAULT_CONCURRENCY } from "../http/client.ts";
import type { Span } from "../http/clock.ts";
import type { Exchange } from "../http/exchange.ts";
import { createListener } from "../http/listener.ts";
import type { KeyRotation } from "../keys/rotate.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { createControls } from "../probe/controls/controls.ts";
import type { Rule } from "../probe/rule.ts";
import { createSession } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import { preflight } from "../setup/reach.ts";
import { remoteDocuments } from "../tokens/remote-documents.ts";
import { cleanUp } from "./clean-up.ts";
import { closeAll } from "./close-all.ts";
import { conclude } from "./conclusion/conclude.ts";
import type { CaseResult, RunEvent, RunFinished } from "./events.ts";
import { interruptible } from "./interruptible.ts";
import { assignBlame, judge, type Judgeable } from "./judge.ts";
import { type Plan, planRun } from "./plan.ts";
import { plannedTarget } from "./planned-target.ts";
import { publishTestIssuer } from "./publish-issuer.ts";
import { redactEvent } from "./redact-event.ts";
import { digestOfRules } from "./rules-digest.ts";
import { operationsOf, runCases } from "./run-cases.ts";
import type { NamedCases } from "./select-cases.ts";
import type { OpenSide, SideContext, SideOpener } from "./side.ts";
import { noteTarget } from "./target-note.ts";

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

/**
 * Runs the selected cases against a target and emits the events. Closes the target's document.
 * @returns the last event
 * @throws SuiteError when a pattern matches nothing, the target cannot be reached, or the suite
 * cannot listen for keys
 */
export async function run(options: RunOptions): Promise<RunFinished> {
  try {
    return await runOpen(options);
  } finally {
    await closeAll([options.target.document?.close()]);
  }
}

async function runOpen(options: RunOptions): Promise<RunFinished> {
  const { target: profiled, rules, seed, concurrency = DEFAULT_CONCURRENCY } = options;
  const signal = endOf(options);
  const began = performance.now();
  const planned = planRun(profiled, rules, options.patterns ?? [], options.only);
  const exchanges: Exchange[] = [];
  const waits: Span[] = [];
  const clientOptions = {
    signal,
    onWait: (span: Span) => void waits.push(span),
    onExchange(exchange: Exchange) {
      exchanges.push(exchange);
      emit({ type: "exchange", exchange });
    },
  };
  const http = createHttpClient(profiled, { ...clientOptions, concurrency });
  const emit = (event: RunEvent): void => options.emit(redactEvent(event, http.redact));
  const listener = createListener(profiled.request.callback, remoteDocuments(profiled));
  emit(started(profiled, seed));
  emit(madePlan(planned, options));
  const opened: OpenSide[] = [];
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
      planned: operationsOf(planned),
      tokens,
    });
    const controls = createControls(session);
    receiver = { session, controls };
    const suiteErrors: string[] = [];
    const { setup, plan, judged, timedOut } = await runCases({
      planned,
      session,
      controls,
      opened,
      concurrency,
      emit,
      suiteErrors,
      isTimedOut: () => (options.deadline?.aborted ?? false) && !options.signal?.aborted,
    });
    const leftBehind = await interruptible([], () => cleanUp(session, controls));
    const results = assignBlame(inOrder(plan, judged), rules, plan.cases);
    for (const result of results) emit({ type: "case-judged", result });
    const finished = redactEvent(
      conclude({
        plan,
        results,
        setup,
        session,
        http,
        opened,
        exchanges,
        waits,
        leftBehind,
        interrupted: options.signal?.aborted ?? false,
        timedOut,
        suiteErrors,
        durationMs: performance.now() - began,
      }),
      http.redact,
    );
    options.emit(finished);
    return finished;
  } finally {
    await closeAll([
      http.close(),
      listener.close(),
      published?.close(),
      ...opened.map((side) => side.close()),
    ]);
  }
}

/** The signal that ends a run: the interrupt of the user, or the time limit. */
function endOf({ signal, deadline }: RunOptions): AbortSignal {
  const either = AbortSignal.any([signal, deadline].filter((one) => one !== undefined));
  // Each case that runs and each request that waits has a listener.
  setMaxListeners(0, either);
  return either;
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

function madePlan(plan: Plan, { target, rules, patterns = [], only }: RunOptions): RunEvent {
  return {
    type: "run-planned",
    rules: plan.heads,
    cases: plan.cases.length,
    excluded: plan.excluded,
    plan: {
      rules: digestOfRules(rules),
      patterns,
      ...(only && { only: only.what }),
      target: plannedTarget(target),
    },
  };
}

function inOrder(plan: Plan, judged: readonly Judgeable[]): CaseResult[] {
  const byId = new Map(judged.map((one) => [one.planned.caseId, one]));
  return plan.cases.flatMap(({ caseId }) => {
    const one = byId.get(caseId);
    return one ? [judge(one)] : [];
  });
}
