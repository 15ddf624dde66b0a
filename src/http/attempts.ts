import { performance } from "node:perf_hooks";
import { scheduler } from "node:timers/promises";

import type { OperationId } from "../contract/operations.ts";
import { bufferOf } from "../lib/bytes.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { createTransport, NO_RESPONSE, type Received } from "./connection/transport.ts";
import { ACCEPT, type Exchange, type HttpRequest, type Reply } from "./exchange.ts";
import { createBodyStore } from "./kept-body.ts";
import type { Origin } from "./origin.ts";
import { Interrupted } from "./persistence/rate-limiter.ts";
import { isSafe } from "./persistence/retry.ts";
import {
  createRecorder,
  type Recorder,
  type SecretAnswer,
  type Sender,
} from "./recording/record.ts";
import type { Secrets } from "./recording/secrets.ts";
import { createReply } from "./reply.ts";

const USER_AGENT = `orgsync-conformance/${suiteVersion}`;

/** The sender of a request, and how it is sent. */
export interface SendContext extends Sender {
  /** Id of the exchange, from `Attempts.nextId`; default: the next one of the case. */
  readonly id?: string | undefined;
  /** See `Exchange.operation`. */
  readonly judgedAs?: OperationId | undefined;
  /**
   * Whether a write may be sent twice, because it must be rejected. It may then use a kept-alive
   * connection, and is repeated where that connection is closed. Default: false.
   */
  readonly repeatable?: boolean | undefined;
  /** Whether it goes before other reads, because cases wait for it. Writes always do. Default: false. */
  readonly urgent?: boolean | undefined;
  /** Whether it goes beside others even where the target gets fewer at once; a number that the caller named holds. Default: false. */
  readonly sideBySide?: boolean | undefined;
  /** Whether it has a connection of its own, which carried nothing before. Default: false. */
  readonly apart?: boolean | undefined;
  /** Receives the response as it came, and says what of it must not be recorded. Default: nothing. */
  readonly secretsIn?: ((received: Received) => SecretAnswer) | undefined;
}

/** What preceded one attempt to send a request, and what follows it. */
export interface AttemptDetails {
  /** Whether the request was sent before; each repeat has its own id. Default: false. */
  readonly repeated?: boolean;
  /** Whether it had to wait for others; see `Reply.deferred`. Default: false. */
  readonly deferred?: boolean;
  /** Called with the response as it came, before it is recorded. */
  readonly onArrival?: (received: Received) => void;
}

/** Sends requests to one target, each exactly once, and records them. */
export interface Attempts extends Pick<Recorder, "redact"> {
  /** Sends a request once. A transport fault is a reply with status 0. Throws Interrupted. */
  attempt(spec: HttpRequest, context: SendContext, details?: AttemptDetails): Promise<Reply>;
  /**
   * Reserves the exchange id `<label>~<n>`. A caller that sends several requests at once reserves
   * their ids first, because the order in which requests leave is random.
   */
  nextId(label: string): string;
  /** Resolves when the requests that are under way now have ended. */
  ended(): Promise<unknown>;
  /** Whether other requests were under way together with the one of this reply. */
  wasBesideOthers(reply: Reply): boolean;
  /** Requests sent so far, including repeats. */
  readonly requests: number;
  /** See `BodyStore.bytes`. */
  readonly bytes: number;
  close(): Promise<void>;
}

export interface AttemptOptions {
  readonly concurrency: number;
  /** Ends waiting and sending. Requests under way are recorded as cancelled. */
  readonly signal?: AbortSignal | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /**
   * What must not be recorded. Credentials are added as they are sent. The clients of a run share it. Default: the target's
   * own secrets.
   */
  readonly secrets?: Secrets | undefined;
}

/**
 * Creates the sender of single requests to a target.
 * @throws SuiteError when the proxy variables of the environment are unusable
 */
export function createAttempts(target: Origin, options: AttemptOptions): Attempts {
  const transmitter = createTransport(target, options.concurrency, options.signal);
  const recorder = createRecorder(target, options.secrets);
  const bodies = createBodyStore();
  const lastOf = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  const besideOthers = new WeakSet<Reply>();
  let requests = 0;
  let turns: Promise<unknown> = Promise.resolve();

  /** Resolves for one response after another, each time after what waits for the network. */
  function nextTurn(): Promise<unknown> {
    return (turns = turns.then(() => scheduler.yield()));
  }

  function nextId(label: string): string {
    const count = (lastOf.get(label) ?? 0) + 1;
    lastOf.set(label, count);
    return `${label}~${count}`;
  }

  function idOf({ id: reserved, caseId }: SendContext, repeated: boolean): string {
    if (reserved === undefined) return nextId(caseId);
    return repeated ? nextId(reserved.slice(0, reserved.lastIndexOf("~"))) : reserved;
  }

  return {
    async attempt(spec, context, { repeated = false, deferred = false, onArrival } = {}) {
      const sent = { ...spec, headers: withStandingHeaders(spec, context, target) };
      requests += 1;
      const id = idOf(context, repeated);
      const began = performance.now();
      // A clock that never goes back, so that the record shows that a control came before its probe.
      const startedAt = new Date(performance.timeOrigin + began).toISOString();
      const isRepeatable = isSafe(spec.method) || (context.repeatable === true && !repeated);
      const keeps = isRepeatable && context.apart !== true;
      const [before, others] = [requests, underWay.size];
      const loop = performance.eventLoopUtilization();
      const transmitted = transmitter.transmit(sent, keeps);
      underWay.add(transmitted);
      const result = await transmitted.finally(() => underWay.delete(transmitted));
      const ended = performance.now();
      const raw = "fault" in result ? NO_RESPONSE : result;
      const { idle: idleMs } = performance.eventLoopUtilization(loop);
      const isBesideOthers = others > 0 || requests > before;
      onArrival?.(raw);
      await nextTurn();
      const recorded = recorder.record(sent, raw, context, context.secretsIn?.(raw));
      const exchange: Exchange = {
        id,
        caseId: context.caseId,
        ...(context.judgedAs && { operation: context.judgedAs }),
        request: recorded.request,
        ...("fault" in result
          ? { fault: { ...result.fault, message: recorder.redact(result.fault.message) } }
          : { response: recorded.response }),
        ...(recorded.redactions && { redactions: recorded.redactions }),
        startedAt,
        durationMs: Math.round(ended - began),
      };
      options.onExchange?.(exchange);
      if (exchange.fault?.kind === "cancelled") throw new Interrupted();
      const reply = createReply(raw, bodies.store(bufferOf(raw.body), raw.cut), {
        exchange,
        underWay: { from: began, to: ended, idleMs, others },
        deferred,
        ...("fault" in result && result.code !== undefined && { faultCode: result.code }),
      });
      if (isBesideOthers) besideOthers.add(reply);
      return reply;
    },
    nextId,
    ended: () => Promise.allSettled(underWay),
    wasBesideOthers: (reply) => besideOthers.has(reply),
    redact: recorder.redact,
    get requests() {
      return requests;
    },
    get bytes() {
      return bodies.bytes;
    },
    close: () => transmitter.close(),
  };
}

/** The header fields of a request, with those that every request has, unless it sets them itself. */
export function withStandingHeaders(
  spec: HttpRequest,
  context: Pick<SendContext, "caseId">,
  target: Pick<Origin, "request">,
): [string, string][] {
  const own = new Set(spec.headers.map(([name]) => name.toLowerCase()));
  const standing = Object.entries({
    accept: ACCEPT,
    "user-agent": USER_AGENT,
    "conformance-case": context.caseId,
    ...spec.standing,
    ...target.request.headers,
  });
  return [
    ...standing.flatMap(([name, value]): [string, string][] =>
      value === undefined || own.has(name) ? [] : [[name, value]],
    ),
    ...spec.headers.map(([name, value]): [string, string] => [name, value]),
  ];
}
