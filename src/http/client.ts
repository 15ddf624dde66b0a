import { setMaxListeners } from "node:events";

import PQueue from "p-queue";

import {
  type AttemptOptions,
  type Attempts,
  createAttempts,
  type SendContext,
} from "./attempts.ts";
import { type Clock, type Span, systemClock } from "./clock.ts";
import type { HttpRequest, Reply } from "./exchange.ts";
import type { Origin } from "./origin.ts";
import { createInFlight, MOST_IN_FLIGHT } from "./persistence/in-flight.ts";
import { createLostTime, type Lost } from "./persistence/lost-time.ts";
import { createOutages, type Outages } from "./persistence/outage.ts";
import { createPatience, type Patience } from "./persistence/patience.ts";
import { createPersistence } from "./persistence/persistence.ts";
import { createRateLimiter, Interrupted, type RateLimiter } from "./persistence/rate-limiter.ts";
import { isSafe } from "./persistence/retry.ts";

export { Interrupted };

/** Sends requests to one target. It limits their rate and size, and records them. */
export interface HttpClient extends Pick<Attempts, "nextId" | "redact" | "requests"> {
  /** Resolves whatever the target does: a transport fault has the status 0. Throws Interrupted. */
  send(spec: HttpRequest, context: SendContext): Promise<Reply>;
  /** Waits. Throws Interrupted. */
  wait(ms: number): Promise<void>;
  /** The requests that brought the deployment down, and whether it stayed down. */
  readonly outages: Pick<Outages, "crashes" | "isGone" | "lostAgain">;
  /** Whether the client waited as long as it may where it was asked to. */
  readonly patience: Pick<Patience, "refused">;
  close(): Promise<void>;
}

export interface HttpOptions extends Omit<AttemptOptions, "concurrency"> {
  /** Requests in flight at once, exactly; default: 16 at most, fewer where the target slows down or refuses. */
  readonly concurrency?: number | undefined;
  /** Ends `wait`, but no sending: no case will begin any more, and there is nothing to wait for. */
  readonly enough?: AbortSignal | undefined;
  /** Is told each time that the client waited because it was asked to, by a caller or by an answer. */
  readonly onWait?: ((span: Span) => void) | undefined;
  /**
   * Is told why the client gives up: too much time is lost with requests without an answer; see `createLostTime`. From then
   * on, everything rejects with Interrupted. Default: the client never gives up.
   */
  readonly onGivingUp?: ((lost: Lost) => void) | undefined;
  /** How much time may be lost before that, in milliseconds; default: 30 seconds, and at least four time limits of a request. */
  readonly mostLostMs?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a client for the target's origin. It never follows redirects. After 429 or 503 it waits as
 * long as `Retry-After` says, at most a minute and no longer in total than `retryAfterSeconds`, and starts no other request
 * meanwhile. It sends a request once more, alone, where other requests may have caused the answer. It repeats a
 * read after a reset or a timeout, and a write only when the write cannot have arrived, or when it is `repeatable` and the
 * connection was closed or gave bytes that are no response. When a deployment that has answered refuses connections, it waits for the deployment to
 * return; from then on, it sends the requests of the cases that were under way alone.
 * @throws SuiteError when the proxy variables of the environment are unusable
 */
export function createHttpClient(target: Origin, options: HttpOptions = {}): HttpClient {
  const { clock = systemClock, concurrency = MOST_IN_FLIGHT, onWait, onGivingUp } = options;
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, ...(options.signal ? [options.signal] : [])]);
  // Each request that waits has a listener.
  setMaxListeners(0, signal);
  const queue = new PQueue({ concurrency });
  const { maxRequestsPerSecond, retryAfterSeconds } = target.request;
  const limiter = createRateLimiter({ maxRequestsPerSecond, signal, clock });
  const pace: RateLimiter = {
    ...limiter,
    async wait(ms, enough) {
      const from = Date.now();
      await limiter.wait(ms, enough);
      if (ms > 0) onWait?.({ from, to: Date.now() });
    },
  };
  const outages = createOutages((ms) => pace.wait(ms));
  const patience = createPatience(
    retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000,
  );
  const { onExchange, secrets } = options;
  const attempts = createAttempts(target, { concurrency, signal, onExchange, secrets });
  const inFlight = options.concurrency === undefined ? createInFlight(queue) : undefined;
  const lostTime = createLostTime(target.origin, target.request.timeoutMs, options.mostLostMs);
  const sendPersistently = createPersistence({
    attempts,
    pace,
    outages,
    patience,
    inFlight,
    concurrency,
    onEnd(reply, span) {
      const lost = lostTime(reply, span, attempts.bytes);
      if (!lost || !onGivingUp || signal.aborted) return;
      end.abort();
      onGivingUp(lost);
    },
    clock,
  });

  /** Waits for a place among the requests in flight. Returns what frees it. */
  function place({ urgent, sideBySide }: SendContext, method: string): Promise<() => void> {
    if (inFlight && sideBySide) return Promise.resolve(() => {});
    // Writes depend on each other, so they take longest in all, and the reads that show least go beside them.
    const priority = urgent ? 2 : isSafe(method) ? 0 : 1;
    // The queue remembers what it has run for a while. So it only hands out the place, and never sees a reply.
    return new Promise((grant) => {
      void queue.add(() => new Promise<void>(grant), { priority });
    });
  }

  return {
    async send(spec, context) {
      const free = await place(context, spec.method);
      // The place is free for another request when the answer has arrived, not when that is recorded.
      return sendPersistently(spec, context, free).finally(free);
    },
    wait: (ms) => pace.wait(ms, options.enough),
    nextId: (label) => attempts.nextId(label),
    redact: attempts.redact,
    outages,
    patience,
    get requests() {
      return attempts.requests;
    },
    async close() {
      queue.clear();
      await attempts.close();
    },
  };
}
