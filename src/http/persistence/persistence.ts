import { KNOCK } from "../../contract/ids.ts";
import type { Attempts, SendContext } from "../attempts.ts";
import type { Clock, Span } from "../clock.ts";
import type { HttpRequest, Reply } from "../exchange.ts";
import { IN_VAIN, SECOND_TRIES, waitBefore } from "../second-tries.ts";
import type { InFlight } from "./in-flight.ts";
import type { Outages } from "./outage.ts";
import type { Patience } from "./patience.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import {
  askedWaitMs,
  asksToWait,
  backoffMs,
  isFinal,
  mayBeCrowded,
  mayBeStarting,
} from "./retry.ts";
import { createSpentRequests } from "./spent.ts";

const KNOCK_REQUEST: HttpRequest = { method: "GET", path: "/", headers: [] };
/** A larger response takes so much memory that few are received at once. */
const LARGE_BYTES = 1024 * 1024;
const { crowded } = SECOND_TRIES;

type Turn = RateLimiter["turn"];

interface Sending {
  readonly spec: HttpRequest;
  readonly context: SendContext;
  sent: boolean;
  /** See `Reply.deferred`. */
  deferred: boolean;
  readonly onFinal: () => void;
}

/**
 * Sends a request until its answer says something about it, or another try would be in vain.
 * @param onFinal called when a response has arrived after which the request is not sent again, before that is recorded
 * @throws Interrupted
 */
export type SendPersistently = (
  spec: HttpRequest,
  context: SendContext,
  onFinal: () => void,
) => Promise<Reply>;

/** What a client repeats its requests with. */
export interface PersistenceParts {
  /** Sends a request once. */
  readonly attempts: Pick<Attempts, "attempt" | "ended" | "wasBesideOthers">;
  readonly pace: RateLimiter;
  readonly outages: Outages;
  readonly patience: Patience;
  /** Default: the number of requests in flight does not change. */
  readonly inFlight?: InFlight | undefined;
  readonly concurrency: number;
  /** Called when a request of a case has ended. */
  readonly onEnd: (reply: Reply, span: Span) => void;
  readonly clock: Clock;
}

/** Creates the repetition of a client's requests; `createHttpClient` says which are repeated. */
export function createPersistence(parts: PersistenceParts): SendPersistently {
  const { attempts, pace, outages, patience, inFlight, concurrency, onEnd, clock } = parts;
  const spent = createSpentRequests(outages);
  /**
   * `answered` counts responses that did not ask to wait. `givenUpAt` is that count when waiting was
   * given up. `vain` counts the latest requests in a row that were sent alone and answered alike, and `futile` the latest
   * ones in a row that no further try helped.
   */
  const progress = { answered: 0, givenUpAt: -1, vain: 0, futile: 0 };

  /** Sends a request once, and notes what its response says of the deployment. */
  async function attempt(
    ...[spec, context, details]: Parameters<Attempts["attempt"]>
  ): Promise<Reply> {
    let isLarge = false;
    const reply = await attempts.attempt(spec, context, {
      ...details,
      onArrival(received) {
        isLarge = received.cut || received.body.length > LARGE_BYTES;
        details?.onArrival?.(received);
      },
    });
    if (reply.status !== 0 && !asksToWait(reply)) {
      progress.answered += 1;
      patience.noteAnswer();
    }
    noteLoad(reply, isLarge);
    outages.note(context.caseId, reply);
    return reply;
  }

  async function transmit(sending: Sending, turn: Turn): Promise<Reply> {
    await turn();
    const { spec, context, sent: repeated, deferred } = sending;
    sending.sent = true;
    const from = clock.nowMs();
    const reply = await attempt(spec, context, {
      repeated,
      deferred,
      onArrival(received) {
        if (isFinal(received)) sending.onFinal();
      },
    });
    onEnd(reply, { from, to: clock.nowMs() });
    return reply;
  }

  /** Sends a request while nothing else is under way, and finds out whether it brings the deployment down. */
  async function sendAlone(name: string, turn: Turn, send: () => Promise<Reply>): Promise<Reply> {
    await attempts.ended();
    const reply = await send();
    return outages.judgeLone(name, reply, async () => {
      await turn();
      return attempt(KNOCK_REQUEST, { caseId: KNOCK });
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
    const most = SECOND_TRIES.asksToWait.times;
    for (let tries = 1; tries <= most && progress.givenUpAt !== progress.answered; tries++) {
      const waitMs = askedWaitMs(reply, tries);
      if (waitMs === undefined) return reply;
      // A server that asks for less time than before counts down.
      if (patience.isVain(waitedMs) && waitMs >= shortestMs) break;
      shortestMs = Math.min(shortestMs, waitMs);
      const leftMs = since + waitMs - clock.nowMs();
      if (!patience.grants(leftMs)) return reply;
      await pace.wait(leftMs);
      waitedMs += Math.max(0, leftMs);
      reply = await transmit(sending, turn);
      since = clock.nowMs();
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
      await pace.wait(waitBefore(crowded, 1));
      await attempts.ended();
      return transmit(sending, turn);
    });
  }

  /** Whether to send a request again would hardly help, and only multiply the time that all take. */
  function isFutile(): boolean {
    return progress.futile >= concurrency && progress.futile % IN_VAIN.oneOf > 0;
  }

  /** @param repeats whether the request was sent again, or would have been */
  function noteLastTry(reply: Reply, repeats: boolean): void {
    if (!repeats) return;
    const helped = reply.status !== 0 && !mayBeStarting(reply);
    progress.futile = helped ? 0 : progress.futile + 1;
  }

  function noteLoad(reply: Reply, isLarge: boolean): void {
    const { status, underWay } = reply;
    if (!inFlight || !underWay) return;
    const { request, fault } = reply.exchange;
    if (asksToWait(reply) || fault?.kind === "timeout") {
      inFlight.noteCrowded(underWay, underWay.to);
    } else if (status !== 0 && !mayBeCrowded(reply, request, true)) {
      inFlight.note(`${request.method} ${request.url} ${status}`, underWay, isLarge);
    }
  }

  return async (spec, context, onFinal) => {
    const known = spent.find(spec, context);
    if (known) return known;
    const sending: Sending = { spec, context, sent: false, deferred: false, onFinal };
    for (let tries = 1; ; tries++) {
      let reply = await sendThroughOutages(sending);
      spent.note(spec, context, reply);
      if (reply.crashed) return reply;
      if (asksToWait(reply)) {
        sending.deferred = true;
        const [told, toldAtMs] = [reply, clock.nowMs()];
        reply = await pace.alone((turn) => waitOut(sending, told, toldAtMs, turn));
      }
      const beside =
        attempts.wasBesideOthers(reply) &&
        progress.vain < (crowded.mostVain ?? Number.POSITIVE_INFINITY);
      if (tries <= crowded.times && mayBeCrowded(reply, spec, beside)) {
        sending.deferred = true;
        const { status, underWay } = reply;
        reply = await sendWithoutOthers(sending);
        progress.vain = reply.status === status ? progress.vain + 1 : 0;
        if (reply.status === status) return reply;
        if (underWay) inFlight?.noteCrowded(underWay, performance.now());
      }
      const backoff = backoffMs(reply, spec, tries, context.repeatable);
      const isVain = reply.status === 0 && outages.isLostAlone(context.caseId);
      const waitMs = !isVain && !isFutile() ? backoff : undefined;
      if (waitMs === undefined) {
        noteLastTry(reply, tries > 1 || backoff !== undefined);
        return reply;
      }
      await pace.wait(waitMs);
    }
  };
}
