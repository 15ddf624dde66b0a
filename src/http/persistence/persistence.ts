import type { Attempts, SendContext } from "../attempts.ts";
import type { Clock } from "../clock.ts";
import type { Received } from "../connection/transport.ts";
import type { HttpRequest, Reply } from "../exchange.ts";
import type { InFlight } from "./in-flight.ts";
import type { Lost, LostTime } from "./lost-time.ts";
import type { Outages } from "./outage.ts";
import type { Patience } from "./patience.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import {
  askedWaitMs,
  asksToWait,
  backoffMs,
  GATEWAY_BACKOFF_MS,
  isFinal,
  mayBeCrowded,
  mayBeStarting,
  MOST_TRIES,
} from "./retry.ts";

/** The case id of the request that checks whether the deployment answers. */
const KNOCK = "preflight/reachable";
const KNOCK_REQUEST: HttpRequest = { method: "GET", path: "/", headers: [] };
/** After so many requests in a row that were answered alike when they were sent alone, no further one is. */
const MOST_VAIN = 3;
/**
 * Once as many requests in a row as can be in flight got no answer in further tries either, only one of so many is still sent
 * again: to repeat them all would only multiply the time that they take.
 */
const FUTILE_SENT_AGAIN = 16;
/** A larger response takes so much memory that few are received at once. */
const LARGE_BYTES = 1024 * 1024;

type Turn = RateLimiter["turn"];

interface Sending {
  readonly spec: HttpRequest;
  readonly context: SendContext;
  sent: boolean;
  /** See `Reply.deferred`. */
  deferred: boolean;
  readonly onFinal: () => void;
}

/** Decides when a request is sent again, and waits before it is. */
export interface Persistence {
  /**
   * Sends a request until its answer says something about it, or another try would be in vain.
   * @param onFinal called when a response has arrived after which the request is not sent again, before that is recorded
   * @throws Interrupted
   */
  send(spec: HttpRequest, context: SendContext, onFinal: () => void): Promise<Reply>;
  /** Must be called for every response, before its reply is judged. */
  note(received: Received, reply: Reply): void;
}

/** What a client repeats its requests with. */
export interface PersistenceParts {
  /** Sends a request once. */
  readonly attempts: Pick<Attempts, "attempt" | "bytes" | "ended" | "wasBesideOthers">;
  readonly pace: Pick<RateLimiter, "alone" | "turn">;
  readonly wait: RateLimiter["wait"];
  readonly outages: Outages;
  readonly patience: Patience;
  /** Default: the number of requests in flight does not change. */
  readonly inFlight?: InFlight | undefined;
  readonly concurrency: number;
  readonly lostTime: LostTime;
  /** Called where to go on is in vain; ends the client. */
  readonly giveUp: (lost: Lost) => void;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Creates the repetition of a client's requests; `createHttpClient` says which are repeated. */
export function createPersistence(parts: PersistenceParts): Persistence {
  const {
    attempts,
    pace,
    wait,
    outages,
    patience,
    inFlight,
    lostTime,
    giveUp,
    concurrency,
    clock,
  } = parts;
  /**
   * `answered` counts responses that did not ask to wait. `givenUpAt` is that count when waiting was
   * given up. `vain` counts the latest requests in a row that were sent alone and answered alike, and `futile` the latest
   * ones in a row that no further try helped.
   */
  const progress = { answered: 0, givenUpAt: -1, vain: 0, futile: 0 };

  const nowMs = (): number => clock?.nowMs() ?? performance.now();

  async function transmit(sending: Sending, turn: Turn): Promise<Reply> {
    await turn();
    const { spec, context, sent: repeated, deferred } = sending;
    sending.sent = true;
    const from = nowMs();
    const reply = await attempts.attempt(spec, context, {
      repeated,
      deferred,
      onArrival(received) {
        if (isFinal(received)) sending.onFinal();
      },
    });
    const lost = lostTime.note(reply, { from, to: nowMs() }, attempts.bytes);
    if (lost) giveUp(lost);
    return reply;
  }

  /** Sends a request while nothing else is under way, and finds out whether it brings the deployment down. */
  async function sendAlone(name: string, turn: Turn, send: () => Promise<Reply>): Promise<Reply> {
    await attempts.ended();
    const reply = await send();
    return outages.judgeLone(name, reply, async () => {
      await turn();
      return attempts.attempt(KNOCK_REQUEST, { caseId: KNOCK });
    });
  }

  /** Sends a request, and again where the deployment was down and has returned. */
  async function sendThroughOutages(sending: Sending): Promise<Reply> {
    const { caseId } = sending.context;
    const reply = outages.isSuspect(caseId)
      ? await pace.alone((turn) => sendAlone(caseId, turn, () => transmit(sending, turn)))
      : await transmit(sending, () => pace.turn());
    if (!outages.isDown(reply)) return reply;
    return pace.alone((turn) =>
      sendAlone(caseId, turn, () => outages.outlast(reply, () => transmit(sending, turn))),
    );
  }

  /**
   * Repeats a request while its responses ask to wait. It goes on while other requests get responses.
   * When none does, every request stops waiting until one gets a response again. Nor does it wait when the patience with
   * the server is used up.
   * @param toldAtMs when the first response came, by the clock
   */
  async function waitOut(
    sending: Sending,
    told: Reply,
    toldAtMs: number,
    turn: Turn,
  ): Promise<Reply> {
    let reply = told;
    let since = toldAtMs;
    let waitedMs = 0;
    let shortestMs = Number.POSITIVE_INFINITY;
    let { answered } = progress;
    for (let tries = 1; tries < MOST_TRIES && progress.givenUpAt !== progress.answered; tries++) {
      const waitMs = askedWaitMs(reply, tries);
      if (waitMs === undefined) return reply;
      // A server that asks for less time than before counts down.
      if (patience.isVain(waitedMs) && waitMs >= shortestMs) break;
      shortestMs = Math.min(shortestMs, waitMs);
      const leftMs = since + waitMs - nowMs();
      if (!patience.grants(leftMs)) return reply;
      await wait(leftMs);
      waitedMs += Math.max(0, leftMs);
      reply = await transmit(sending, turn);
      since = nowMs();
      if (!asksToWait(reply)) return reply;
      if (progress.answered !== answered) tries = 0;
      ({ answered } = progress);
    }
    patience.noteVain(waitedMs);
    progress.givenUpAt = progress.answered;
    return reply;
  }

  /** Sends a request again, after a pause and with nothing else under way. */
  function sendWithoutOthers(sending: Sending): Promise<Reply> {
    return pace.alone(async (turn) => {
      await wait(GATEWAY_BACKOFF_MS);
      await attempts.ended();
      return transmit(sending, turn);
    });
  }

  /** Whether to send a request again would hardly help. */
  function isFutile(): boolean {
    return progress.futile >= concurrency && progress.futile % FUTILE_SENT_AGAIN > 0;
  }

  /** @param repeats whether the request was sent again, or would have been */
  function noteLastTry(reply: Reply, repeats: boolean): void {
    if (!repeats) return;
    const helped = reply.status !== 0 && !mayBeStarting(reply);
    progress.futile = helped ? 0 : progress.futile + 1;
  }

  function noteLoad(received: Received, { exchange, underWay }: Reply): void {
    if (!inFlight || !underWay) return;
    const { request, fault } = exchange;
    if (asksToWait(received) || fault?.kind === "timeout") {
      inFlight.noteCrowded(underWay, underWay.to);
    } else if (received.status !== 0 && !mayBeCrowded(received, request, true)) {
      const kind = `${request.method} ${request.url} ${received.status}`;
      inFlight.note(kind, underWay, received.body.length > LARGE_BYTES || received.cut);
    }
  }

  return {
    async send(spec, context, onFinal) {
      const sending: Sending = { spec, context, sent: false, deferred: false, onFinal };
      for (let tries = 1; ; tries++) {
        let reply = await sendThroughOutages(sending);
        if (reply.crashed) return reply;
        if (asksToWait(reply)) {
          sending.deferred = true;
          const [told, toldAtMs] = [reply, nowMs()];
          reply = await pace.alone((turn) => waitOut(sending, told, toldAtMs, turn));
        }
        const beside = attempts.wasBesideOthers(reply) && progress.vain < MOST_VAIN;
        if (tries === 1 && mayBeCrowded(reply, spec, beside)) {
          sending.deferred = true;
          const { status, underWay } = reply;
          reply = await sendWithoutOthers(sending);
          progress.vain = reply.status === status ? progress.vain + 1 : 0;
          if (reply.status === status) return reply;
          if (underWay) inFlight?.noteCrowded(underWay, performance.now());
        }
        const backoff = backoffMs(reply, spec, tries, context.repeatable);
        const waitMs = tries < MOST_TRIES && !isFutile() ? backoff : undefined;
        if (waitMs === undefined) {
          noteLastTry(reply, tries > 1 || backoff !== undefined);
          return reply;
        }
        await wait(waitMs);
      }
    },
    note(received, reply) {
      if (received.status !== 0 && !asksToWait(received)) {
        progress.answered += 1;
        patience.noteAnswer();
      }
      noteLoad(received, reply);
      outages.note(reply.exchange.caseId, reply);
    },
  };
}
