import { setMaxListeners } from "node:events";

import { requirementsVersion } from "../contract/requirements.ts";
import { createHttpClient, type HttpClient, type HttpOptions } from "../http/client.ts";
import type { Span } from "../http/clock.ts";
import type { Exchange } from "../http/exchange.ts";
import { createListener } from "../http/listener.ts";
import { MOST_IN_FLIGHT } from "../http/persistence/in-flight.ts";
import type { Lost } from "../http/persistence/lost-time.ts";
import { secretsOf } from "../http/recording/record.ts";
import { type KeyRotation, openRotation } from "../keys/serve.ts";
import { SuiteError } from "../lib/errors.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { createControls } from "../probe/controls/controls.ts";
import type { Rule } from "../probe/rule.ts";
import { createSession } from "../probe/session.ts";
import { maskedFacts } from "../profile/facts.ts";
import type { Target } from "../profile/target.ts";
import { preflight } from "../setup/reach.ts";
import { remoteDocuments } from "../tokens/remote-documents.ts";
import { cleanUp } from "./clean-up.ts";
import { conclude } from "./conclusion/conclude.ts";
import type { RunEvent, RunFinished } from "./events.ts";
import type { Exploration, ToExplore } from "./exploration.ts";
import { type Plan, planExploration, planRun } from "./plan.ts";
import { redactEvent } from "./redact-event.ts";
import { createResults } from "./results.ts";
import { digestOfRules } from "./rules-digest.ts";
import { type CasesToRun, operationsOf, runCases } from "./run-cases.ts";
import type { NamedCases } from "./select-cases.ts";
import { closeAll, interruptible } from "./settle-all.ts";
import type { OpenSide, SideContext, SideOpener } from "./side.ts";
import { noteTarget } from "./target-note.ts";

/** The options of a run. */
export interface RunOptions extends Pick<HttpOptions, "concurrency" | "mostLostMs"> {
  readonly target: Target;
  /** In the order of the registry: a rule comes after the rules that it depends on. */
  readonly rules: readonly Rule[];
  /** Globs over rule ids and case names; default: all. */
  readonly patterns?: readonly string[] | undefined;
  /** Restricts the run to these cases; default: no restriction. */
  readonly only?: NamedCases | undefined;
  readonly seed: number;
  /** The longest time for an accepted write to become visible, in milliseconds; default 5000. */
  readonly patienceMs?: number | undefined;
  /** Interrupts the run. The judged cases are still reported. */
  readonly signal?: AbortSignal | undefined;
  /** Sides other than the receiver; default: none. */
  readonly sides?: readonly SideOpener[] | undefined;
  /** Ends the run at its limit. Cases that were not reached are inconclusive, and count. */
  readonly deadline?: AbortSignal | undefined;
  /** Ends the run at the first violated MUST, others being inconclusive. Default: false. */
  readonly bail?: boolean | undefined;
  /** Whether a baseline lists a case as failing. Such a failure does not end the run. Default: none is listed. */
  readonly isKnown?: ((caseId: string) => boolean) | undefined;
  /** Tries cases that no rule lists, after the plan. Default: none. */
  readonly exploration?: Exploration | undefined;
  /** Accepted writes of each operation that the run keeps below or at. Default: 19. */
  readonly mostWrites?: number | undefined;
  /** Whether an earlier run has reached the target: that it is gone since is a result, and no error. Default: false. */
  readonly wasReached?: boolean | undefined;
  /** Ends the run before its first case, as `bail` does. Default: false. */
  readonly isEnded?: boolean | undefined;
  /** Receives the events in order; see `RunEvent`. */
  readonly emit: (event: RunEvent) => void;
}

/**
 * Runs the selected cases against a target, as `runOpen` does. Closes the target's document.
 * @returns the last event
 * @throws SuiteError when a pattern matches nothing, the target cannot be reached, or the suite
 * cannot listen for keys
 */
export async function run(options: RunOptions): Promise<RunFinished> {
  try {
    return await runOpen(options);
  } finally {
    options.target.document?.close();
  }
}

/**
 * Runs the selected cases against a target and emits the events. The target's document stays open, for a run of other rules.
 * @returns the last event
 * @throws SuiteError as `run` does
 */
export async function runOpen(options: RunOptions): Promise<RunFinished> {
  const { target: profiled, rules, seed, concurrency } = options;
  const signal = endOf(options);
  const began = performance.now();
  const planned = await planOf(options);
  const exchanges: Exchange[] = [];
  const waits: Span[] = [];
  const enough = new AbortController();
  if (options.isEnded) enough.abort();
  const lost: Lost[] = [];
  const clientOptions = {
    signal,
    enough: enough.signal,
    secrets: secretsOf({ ...profiled, openly: openWords(profiled, planned) }),
    mostLostMs: options.mostLostMs,
    onGivingUp: (what: Lost) => void lost.push(what),
    onWait: (span: Span) => void waits.push(span),
    onExchange(exchange: Exchange) {
      exchanges.push(exchange);
      emit({ type: "exchange", exchange });
    },
  };
  const http = createHttpClient(profiled, { ...clientOptions, concurrency });
  const emit = (event: RunEvent): void => options.emit(redactEvent(event, http.redact));
  const listener = createListener(profiled.request.callback, remoteDocuments(profiled));
  // The clock of the exchanges, which never goes back.
  emit(started(profiled, seed, performance.timeOrigin + began));
  emit(madePlan(planned, options));
  const { bail = false, isKnown } = options;
  const results = createResults(
    planned.cases,
    emit,
    bail ? { isKnown, end: () => enough.abort() } : undefined,
  );
  const opened: OpenSide[] = [];
  let published: KeyRotation | undefined;
  try {
    published = await publishTestIssuer(profiled);
    const clockOffsetSeconds = await interruptible(undefined, () =>
      firstLook(profiled, http, options.wasReached),
    );
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
      mostWrites: options.mostWrites,
      publishedKeys: published,
      planned: operationsOf(planned),
      // Only these cases ask how the answers of a run compare.
      compares: planned.cases.some(({ phase }) => phase === "record"),
      tokens,
    });
    const controls = createControls(session);
    receiver = { session, controls };
    const suiteErrors: string[] = [];
    const ran = await runCases({
      planned,
      session,
      controls,
      opened,
      concurrency: concurrency ?? MOST_IN_FLIGHT,
      emit,
      suiteErrors,
      enough: enough.signal,
      bails: bail,
      results,
      explore: explorerOf(options, {
        session,
        controls,
        rules,
        reported: new Set(planned.heads.map(({ id }) => id)),
        results: results.soFar,
        requests: () => http.requests,
      }),
      endedBy() {
        if (options.signal?.aborted) return undefined;
        if (options.deadline?.aborted) return "time limit";
        if (enough.signal.aborted) return "bail";
        return lost.length > 0 ? "lost time" : undefined;
      },
    });
    const leftBehind = await interruptible([], () => cleanUp(session, controls));
    const finished = redactEvent(
      conclude({
        ...ran,
        results: results.tell(),
        session,
        http,
        opened,
        exchanges,
        waits,
        leftBehind,
        interrupted: options.signal?.aborted ?? false,
        lost,
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

/** The plan of the options. Cases of an earlier exploration that are selected by name are made again. */
async function planOf({
  target,
  rules,
  patterns = [],
  only,
  exploration,
}: RunOptions): Promise<Plan> {
  const further = only ? await exploration?.casesOf(target, rules, only.names) : undefined;
  const plan = planRun(target, rules, patterns, only, further);
  return exploration?.only ? planExploration(plan, rules, exploration.owners) : plan;
}

function explorerOf(
  { exploration }: RunOptions,
  seen: Omit<ToExplore, "context">,
): CasesToRun["explore"] {
  const { explore } = exploration ?? {};
  return explore && ((context) => explore({ ...seen, context }));
}

/** See `preflight`. A target that was reached before may be gone; then the cases say so. */
async function firstLook(
  target: Target,
  http: HttpClient,
  wasReached = false,
): Promise<number | undefined> {
  try {
    return await preflight(target, http);
  } catch (error) {
    if (wasReached && error instanceof SuiteError) return undefined;
    throw error;
  }
}

/** The signal that ends a run: the interrupt of the user, or the time limit. */
function endOf({ signal, deadline }: RunOptions): AbortSignal {
  const either = AbortSignal.any([signal, deadline].filter((one) => one !== undefined));
  // Each case that runs and each request that waits has a listener.
  setMaxListeners(0, either);
  return either;
}

/** What is no secret: what profile and contract say, and the names and titles of the rules. */
function openWords({ openly = "" }: Target, { heads, cases }: Plan): string {
  const ids = cases.map(({ caseId }) => caseId);
  // Many cases have the same title.
  const titles = new Set(cases.map(({ testCase: { title = "" } }) => title));
  const suite = `orgsync-conformance/${suiteVersion}`;
  return [openly, suite, JSON.stringify(heads), ...ids, ...titles].join("\n");
}

function neverOpened(): never {
  throw new TypeError("the receiver is not started yet");
}

function started(target: Target, seed: number, beganMs: number): RunEvent {
  return {
    type: "run-started",
    suite: {
      name: "orgsync-conformance",
      version: suiteVersion,
      requirements: requirementsVersion,
    },
    target: noteTarget(target),
    seed,
    startedAt: new Date(beganMs).toISOString(),
  };
}

function madePlan(
  plan: Plan,
  { target, rules, patterns = [], only, exploration }: RunOptions,
): RunEvent {
  return {
    type: "run-planned",
    rules: plan.heads,
    cases: plan.cases.length,
    caseIds: plan.cases.map(({ caseId }) => caseId),
    excluded: plan.excluded,
    plan: {
      rules: digestOfRules(rules),
      ...(plan.pack !== undefined && { pack: plan.pack }),
      patterns,
      ...(only && { only: only.what }),
      ...(exploration?.only && { exploresOnly: true as const }),
      facts: maskedFacts(target),
    },
  };
}

/**
 * Publishes the test issuer's keys where the profile asks for it; `undefined` where it does not.
 * @throws SuiteError when the suite cannot listen on the address of `testIssuer.serve`
 */
export async function publishTestIssuer({ testIssuer }: Target): Promise<KeyRotation | undefined> {
  const { serve, url, keys } = testIssuer;
  if (serve === undefined) return undefined;
  return openRotation(
    serve,
    url,
    keys.map(({ publicJwk }) => publicJwk),
  );
}
