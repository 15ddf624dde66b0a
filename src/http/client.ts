import PQueue from "p-queue";

import type { OperationId } from "../contract/operations.ts";
import type { Clock } from "./clock.ts";
import { ACCEPT, type Exchange, type HttpRequest, type Reply, type TokenNote } from "./exchange.ts";
import { createBodyStore } from "./kept-body.ts";
import type { Origin } from "./origin.ts";
import { createOutages, type Outages } from "./outage.ts";
import { createRateLimiter, Interrupted, type RateLimiter } from "./rate-limiter.ts";
import { createRecorder } from "./record.ts";
import type { Redactor } from "./redact.ts";
import { createReply } from "./reply.ts";
import { askedWaitMs, asksToWait, backoffMs, isSafe, MOST_TRIES } from "./retry.ts";
import { createTransport, type Received } from "./transport.ts";

export { Interrupted };

const CONCURRENCY = 8;
/** Of a target with such answers only a few requests are sent at once. */
const LARGE_BYTES = 1024 * 1024;
const FEW = 2;
/** What is sent to learn whether anybody is there. */
const KNOCK = "preflight/reachable";
const NO_ANSWER: Received = { status: 0, headers: {}, body: Buffer.alloc(0), cut: false };

/** Who sends a request, and what the record may say of its token. */
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
   * It does no harm twice, though its method writes: because it must be rejected. So it may use a kept connection, and is
   * repeated where such a one is closed. Default: false.
   */
  readonly repeatable?: boolean | undefined;
  /** Further values of the request that must not be recorded. */
  readonly secrets?: readonly string[] | undefined;
  /** Receives the answer as it came, before it is redacted, and returns what of it must not be recorded. */
  readonly secretsIn?: ((received: Received) => readonly string[]) | undefined;
}

/** Sends requests to one target: paced, bounded, recorded. */
export interface HttpClient {
  /**
   * Resolves for whatever the target does; a transport fault is a reply with status 0.
   * @throws Interrupted when the signal was given before there was an answer
   */
  send(spec: HttpRequest, context: SendContext): Promise<Reply>;
  /**
   * Reserves `<label>~<n>`. Whoever sends several requests at once reserves their ids in an order of
   * its own, because the order in which they leave is chance.
   */
  nextId(label: string): string;
  /**
   * Waits.
   * @throws Interrupted
   */
  wait(ms: number): Promise<void>;
  /** Takes out of any text what must not be shown of the target. */
  readonly redact: Redactor;
  /** When the deployment went down, and by which requests. */
  readonly outages: Pick<Outages, "crashes" | "isGone">;
  /** Requests sent so far, repeats included. */
  readonly requests: number;
  close(): Promise<void>;
}

export interface HttpOptions {
  /** Requests in flight at once; default 8. */
  readonly concurrency?: number | undefined;
  /** Ends waiting and sending; what is under way is recorded as cancelled. */
  readonly signal?: AbortSignal | undefined;
  readonly userAgent: string;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * A client for the target's origin. Redirects are never followed. 429 and 503 are waited out as
 * `Retry-After` says, if that is at most a minute, and while one request waits no other starts.
 * Reads are repeated after a reset or a time-out; a write only when it cannot have arrived, or is `repeatable`. A deployment that has answered
 * and then takes no connection is waited for; what was under way when it went down is sent alone from then on.
 * @throws SuiteError when the proxy variables of the environment cannot be used
 */
export function createHttpClient(target: Origin, options: HttpOptions): HttpClient {
  const { signal, clock, userAgent, concurrency = CONCURRENCY } = options;
  const transmitter = createTransport(target, concurrency, signal);
  const recorder = createRecorder(target);
  const store = createBodyStore();
  const queue = new PQueue({ concurrency });
  const { maxRequestsPerSecond } = target.request;
  const pace = createRateLimiter({ maxRequestsPerSecond, signal, clock });
  const outages = createOutages((ms) => pace.wait(ms));
  const lastOf = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  const knock: HttpRequest = { method: "GET", path: "/", headers: [] };
  let requests = 0;
  /**
   * How many requests were answered otherwise than to wait, at how many waiting was given up, and how
   * many in a row have timed out since.
   */
  const progress = { answered: 0, givenUpAt: -1, timedOut: 0 };

  function nextId(label: string): string {
    const count = (lastOf.get(label) ?? 0) + 1;
    lastOf.set(label, count);
    return `${label}~${count}`;
  }

  /** @param repeated of a repeated request, each try has an id of its own */
  async function attempt(
    spec: HttpRequest,
    context: SendContext,
    repeated: boolean,
  ): Promise<Reply> {
    const sent = { ...spec, headers: withStandingHeaders(spec, context, target, userAgent) };
    requests += 1;
    const reserved = context.id;
    const label = reserved?.slice(0, reserved.lastIndexOf("~")) ?? context.caseId;
    const id = reserved === undefined || repeated ? nextId(label) : reserved;
    const began = performance.now();
    // By a clock that never goes back: that a control came before its probe is to be seen in the record.
    const startedAt = new Date(performance.timeOrigin + began).toISOString();
    const keeps = isSafe(spec.method) || (context.repeatable === true && !repeated);
    const transmitted = transmitter.transmit(sent, keeps);
    underWay.add(transmitted);
    const result = await transmitted.finally(() => underWay.delete(transmitted));
    const ended = performance.now();
    const raw = "fault" in result ? NO_ANSWER : result;
    const secrets = [...(context.secrets ?? []), ...(context.secretsIn?.(raw) ?? [])];
    const clean = recorder.redactorFor(context.token, secrets);
    const exchange: Exchange = {
      id,
      caseId: context.caseId,
      ...(context.judgedAs && { operation: context.judgedAs }),
      request: recorder.request(sent, context.tokenNote, clean),
      ...("fault" in result
        ? { fault: { ...result.fault, message: clean(result.fault.message) } }
        : // All of a body may be a secret of its own.
          { response: recorder.response(raw, clean, context.secretsIn && raw.body.length) }),
      startedAt,
      durationMs: Math.round(ended - began),
    };
    options.onExchange?.(exchange);
    if (exchange.fault?.kind === "cancelled") throw new Interrupted();
    progress.timedOut = exchange.fault?.kind === "timeout" ? progress.timedOut + 1 : 0;
    if (raw.status !== 0 && !asksToWait(raw)) progress.answered += 1;
    // While one large answer is looked at, few others need to be there.
    if (raw.body.length > LARGE_BYTES || raw.cut) queue.concurrency = Math.min(concurrency, FEW);
    const reply = createReply(raw, store(raw.body, raw.cut), clean, {
      exchange,
      underWay: { from: began, to: ended },
    });
    outages.note(context.caseId, reply);
    return reply;
  }

  /** Sends while nothing else is under way, and finds out whether it brings the deployment down. */
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
   * Sends a request that was told to wait again, until it is not. Who waits in vain while others get
   * through goes on; when nobody does, it is given up, by all, until somebody does again.
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
    const again = async (turn: RateLimiter["turn"]): Promise<Reply> => {
      await turn();
      const repeated = sent;
      sent = true;
      return attempt(spec, context, repeated);
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
        const [told, toldAtMs] = [reply, nowMs()];
        reply = await pace.alone((turn) => waitOut(told, toldAtMs, again, turn));
      }
      // Where nobody is answered any more, a second try would only double the wait for nothing.
      const hopeless = tries >= MOST_TRIES || progress.timedOut > 2 * concurrency;
      const waitMs = hopeless ? undefined : backoffMs(reply, spec, tries, context.repeatable);
      if (waitMs === undefined) return reply;
      await pace.wait(waitMs);
    }
  }

  return {
    async send(spec, context) {
      // The queue remembers for a while what it has run, so it is given no reply to keep.
      const came: { reply?: Reply } = {};
      const turn = async (): Promise<void> => {
        came.reply = await persistently(spec, context);
      };
      // Few writes are under way at once, so that nobody waits long for one that goes first.
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
  userAgent: string,
): [string, string][] {
  const own = new Set(spec.headers.map(([name]) => name.toLowerCase()));
  const standing = Object.entries({
    accept: ACCEPT,
    "user-agent": userAgent,
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
