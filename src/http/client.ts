import PQueue from "p-queue";

import type { OperationId } from "../contract/operations.ts";
import { suiteVersion } from "../lib/package-root.ts";
import type { Clock } from "./clock.ts";
import { ACCEPT, type Exchange, type HttpRequest, type Reply, type TokenNote } from "./exchange.ts";
import { createInFlight } from "./in-flight.ts";
import { createBodyStore } from "./kept-body.ts";
import type { Origin } from "./origin.ts";
import { createOutages, type Outages } from "./outage.ts";
import { createRateLimiter, Interrupted, type RateLimiter } from "./rate-limiter.ts";
import { createRecorder } from "./record.ts";
import { type Redactor, redactTexts } from "./redact.ts";
import { createReply } from "./reply.ts";
import {
  askedWaitMs,
  asksToWait,
  backoffMs,
  GATEWAY_BACKOFF_MS,
  isSafe,
  mayBeCrowded,
  MOST_TRIES,
} from "./retry.ts";
import { createTransport, type Received } from "./transport.ts";

export { Interrupted };

const USER_AGENT = `orgsync-conformance/${suiteVersion}`;
const CONCURRENCY = 8;
/** The case id of the request that checks whether the deployment answers. */
const KNOCK = "preflight/reachable";
/** After so many requests in a row that were answered alike when they were sent alone, no further one is. */
const MOST_VAIN = 3;
const NO_ANSWER: Received = { status: 0, headers: {}, body: Buffer.alloc(0), cut: false };

/** The sender of a request, and what the record may show of its token. */
export interface SendContext {
  readonly caseId: string;
  /** Id of the exchange, from `HttpClient.nextId`; default: the next one of the case. */
  readonly id?: string | undefined;
  /** The access token, so that it can be kept out of the record. */
  readonly token?: string | undefined;
  readonly tokenNote?: TokenNote | undefined;
  /** See `Exchange.operation`. */
  readonly judgedAs?: OperationId | undefined;
  /**
   * Whether a write may be sent twice, because it must be rejected. It may then use a kept-alive
   * connection, and is repeated where that connection is closed. Default: false.
   */
  readonly repeatable?: boolean | undefined;
  /** Further values of the request that must not be recorded. */
  readonly secrets?: readonly string[] | undefined;
  /** Receives the response before redaction, and returns the values in it that must not be recorded. */
  readonly secretsIn?: ((received: Received) => readonly string[]) | undefined;
}

/** Sends requests to one target. It limits their rate and size, and records them. */
export interface HttpClient {
  /**
   * Resolves whatever the target does. A transport fault is a reply with status 0.
   * @throws Interrupted when the signal aborts before there is a response
   */
  send(spec: HttpRequest, context: SendContext): Promise<Reply>;
  /**
   * Reserves the exchange id `<label>~<n>`. A caller that sends several requests at once reserves
   * their ids first, because the order in which requests leave is random.
   */
  nextId(label: string): string;
  /**
   * Waits.
   * @throws Interrupted
   */
  wait(ms: number): Promise<void>;
  /** Removes the target's secrets from a text. */
  readonly redact: Redactor;
  /** The requests that brought the deployment down, and whether it stayed down. */
  readonly outages: Pick<Outages, "crashes" | "isGone">;
  /** Requests sent so far, including repeats. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Options of an HTTP client. */
export interface HttpOptions {
  /** Requests in flight at once; default 8. */
  readonly concurrency?: number | undefined;
  /** Ends waiting and sending. Requests under way are recorded as cancelled. */
  readonly signal?: AbortSignal | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a client for the target's origin. It never follows redirects. After 429 or 503 it waits as
 * long as `Retry-After` says, at most a minute, and starts no other request meanwhile. It sends a request once more, alone,
 * where other requests may have caused the answer. It repeats a
 * read after a reset or a timeout, and a write only when the write cannot have arrived or is
 * `repeatable`. When a deployment that has answered refuses connections, it waits for the deployment to
 * return; from then on, it sends the requests of the cases that were under way alone.
 * @throws SuiteError when the proxy variables of the environment are unusable
 */
export function createHttpClient(target: Origin, options: HttpOptions = {}): HttpClient {
  const { signal, clock, concurrency = CONCURRENCY } = options;
  const transmitter = createTransport(target, concurrency, signal);
  const recorder = createRecorder(target);
  const store = createBodyStore();
  const queue = new PQueue({ concurrency });
  const inFlight = createInFlight(queue, concurrency);
  const { maxRequestsPerSecond } = target.request;
  const pace = createRateLimiter({ maxRequestsPerSecond, signal, clock });
  const outages = createOutages((ms) => pace.wait(ms));
  const lastOf = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  const knock: HttpRequest = { method: "GET", path: "/", headers: [] };
  let requests = 0;
  /**
   * `answered` counts responses that did not ask to wait. `givenUpAt` is that count when waiting was
   * given up. `timedOut` counts the latest timeouts in a row, and `vain` the latest requests in a row that were sent
   * alone and answered alike.
   */
  const progress = { answered: 0, givenUpAt: -1, timedOut: 0, vain: 0 };
  /** Replies to requests that were under way together with others. */
  const besideOthers = new WeakSet<Reply>();

  function nextId(label: string): string {
    const count = (lastOf.get(label) ?? 0) + 1;
    lastOf.set(label, count);
    return `${label}~${count}`;
  }

  /** @param repeated whether this is a repeat; each repeat has its own id */
  async function attempt(
    spec: HttpRequest,
    context: SendContext,
    repeated: boolean,
    deferred = false,
  ): Promise<Reply> {
    const sent = { ...spec, headers: withStandingHeaders(spec, context, target) };
    requests += 1;
    const reserved = context.id;
    const label = reserved?.slice(0, reserved.lastIndexOf("~")) ?? context.caseId;
    const id = reserved === undefined || repeated ? nextId(label) : reserved;
    const began = performance.now();
    // A clock that never goes back, so that the record shows that a control came before its probe.
    const startedAt = new Date(performance.timeOrigin + began).toISOString();
    const keeps = isSafe(spec.method) || (context.repeatable === true && !repeated);
    const [before, othersBegan] = [requests, underWay.size > 0];
    const transmitted = transmitter.transmit(sent, keeps);
    underWay.add(transmitted);
    const result = await transmitted.finally(() => underWay.delete(transmitted));
    const ended = performance.now();
    const raw = "fault" in result ? NO_ANSWER : result;
    const secrets = [...(context.secrets ?? []), ...(context.secretsIn?.(raw) ?? [])];
    const clean = recorder.redactorFor(context.token, secrets);
    const headers = redactTexts(raw.headers, clean);
    const exchange: Exchange = {
      id,
      caseId: context.caseId,
      ...(context.judgedAs && { operation: context.judgedAs }),
      request: recorder.request(sent, context.tokenNote, clean),
      ...("fault" in result
        ? { fault: { ...result.fault, message: clean(result.fault.message) } }
        : // The whole body may be a secret.
          {
            response: recorder.response(
              { ...raw, headers },
              clean,
              context.secretsIn && raw.body.length,
            ),
          }),
      startedAt,
      durationMs: Math.round(ended - began),
    };
    options.onExchange?.(exchange);
    if (exchange.fault?.kind === "cancelled") throw new Interrupted();
    progress.timedOut = exchange.fault?.kind === "timeout" ? progress.timedOut + 1 : 0;
    if (raw.status !== 0 && !asksToWait(raw)) progress.answered += 1;
    inFlight.note(raw);
    const reply = createReply(raw.status, headers, store(raw.body, raw.cut), clean, {
      exchange,
      underWay: { from: began, to: ended },
      deferred,
    });
    if (othersBegan || requests > before) besideOthers.add(reply);
    outages.note(context.caseId, reply);
    return reply;
  }

  /** Sends a request while nothing else is under way, and finds out whether it brings the deployment down. */
  async function sendAlone(
    name: string,
    turn: RateLimiter["turn"],
    send: () => Promise<Reply>,
  ): Promise<Reply> {
    await Promise.allSettled(underWay);
    const reply = await send();
    return outages.judgeLone(name, reply, async () => {
      await turn();
      return attempt(knock, { caseId: KNOCK }, false);
    });
  }

  /**
   * Repeats a request while its responses ask to wait. It goes on while other requests get responses.
   * When none does, every request stops waiting until one gets a response again.
   */
  async function waitOut(
    told: Reply,
    toldAtMs: number,
    again: (turn: RateLimiter["turn"]) => Promise<Reply>,
    turn: RateLimiter["turn"],
  ): Promise<Reply> {
    let reply = told;
    let since = toldAtMs;
    let { answered } = progress;
    for (let tries = 1; tries < MOST_TRIES && progress.givenUpAt !== progress.answered; tries++) {
      const waitMs = askedWaitMs(reply, tries);
      if (waitMs === undefined) return reply;
      await pace.wait(since + waitMs - nowMs());
      reply = await again(turn);
      since = nowMs();
      if (!asksToWait(reply)) return reply;
      if (progress.answered !== answered) tries = 0;
      ({ answered } = progress);
    }
    progress.givenUpAt = progress.answered;
    return reply;
  }

  const nowMs = (): number => clock?.nowMs() ?? performance.now();

  async function persistently(spec: HttpRequest, context: SendContext): Promise<Reply> {
    let sent = false;
    let deferred = false;
    const again = async (turn: RateLimiter["turn"]): Promise<Reply> => {
      await turn();
      const repeated = sent;
      sent = true;
      return attempt(spec, context, repeated, deferred);
    };
    for (let tries = 1; ; tries++) {
      const { caseId: name } = context;
      let reply = outages.isSuspect(name)
        ? await pace.alone((turn) => sendAlone(name, turn, () => again(turn)))
        : await again(() => pace.turn());
      if (outages.isDown(reply)) {
        const down = reply;
        reply = await pace.alone((turn) =>
          sendAlone(name, turn, () => outages.outlast(down, () => again(turn))),
        );
      }
      if (reply.crashed) return reply;
      if (asksToWait(reply)) {
        deferred = true;
        const [told, toldAtMs] = [reply, nowMs()];
        reply = await pace.alone((turn) => waitOut(told, toldAtMs, again, turn));
      }
      const beside = besideOthers.has(reply) && progress.vain < MOST_VAIN;
      if (tries === 1 && mayBeCrowded(reply, spec, beside)) {
        deferred = true;
        const { status } = reply;
        reply = await pace.alone(async (turn) => {
          await pace.wait(GATEWAY_BACKOFF_MS);
          await Promise.allSettled(underWay);
          return again(turn);
        });
        progress.vain = reply.status === status ? progress.vain + 1 : 0;
        if (reply.status === status) return reply;
        inFlight.noteCrowded();
      }
      // Where no request gets a response any more, a second try would only double the wait.
      const hopeless = tries >= MOST_TRIES || progress.timedOut > 2 * concurrency;
      const waitMs = hopeless ? undefined : backoffMs(reply, spec, tries, context.repeatable);
      if (waitMs === undefined) return reply;
      await pace.wait(waitMs);
    }
  }

  return {
    async send(spec, context) {
      // The queue holds on to results for a while, so the reply does not pass through it.
      const came: { reply?: Reply } = {};
      const turn = async (): Promise<void> => {
        came.reply = await persistently(spec, context);
      };
      // Writes go first. Few are under way at once, so reads do not wait long.
      await queue.add(turn, { priority: isSafe(spec.method) ? 0 : 1 });
      const reply = came.reply as Reply;
      delete came.reply;
      return reply;
    },
    wait: (ms) => pace.wait(ms),
    nextId,
    redact: recorder.redact,
    outages,
    get requests() {
      return requests;
    },
    async close() {
      queue.clear();
      await transmitter.close();
    },
  };
}

function withStandingHeaders(
  spec: HttpRequest,
  context: SendContext,
  target: Origin,
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
