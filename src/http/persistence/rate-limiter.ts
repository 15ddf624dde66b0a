import PQueue from "p-queue";

import type { Clock } from "../clock.ts";
import type { OriginSettings } from "../origin.ts";

/** The run was interrupted before a request had its response. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Decides when a request may start. */
export interface RateLimiter {
  /**
   * Resolves when the next request may start: no `alone` work is waiting or running, and the rate
   * limit allows it.
   * @throws Interrupted
   */
  turn(): Promise<void>;
  /**
   * Runs work that waits for the deployment. One such work runs at a time, and no other request
   * starts meanwhile.
   * @param work receives the `turn` that its own requests use
   */
  alone<T>(work: (turn: RateLimiter["turn"]) => Promise<T>): Promise<T>;
  /**
   * @param enough ends this wait too
   * @throws Interrupted
   */
  wait(ms: number, enough?: AbortSignal): Promise<void>;
}

export interface PaceOptions extends Pick<OriginSettings, "maxRequestsPerSecond"> {
  /** Ends all waiting at once. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Creates a rate limiter. Starts are spaced evenly over each second. Without a limit, requests wait only for `alone`
 * work. Once the signal aborts, `turn` and `wait` reject with Interrupted.
 */
export function createRateLimiter({
  maxRequestsPerSecond,
  signal,
  clock,
}: PaceOptions): RateLimiter {
  // Requests are spaced evenly, because a gateway may count over less than a second.
  const intervalMs = maxRequestsPerSecond === undefined ? 0 : 1000 / maxRequestsPerSecond;
  const waiting = new PQueue({ concurrency: 1 });
  let nextStartMs = Number.NEGATIVE_INFINITY;

  function checkInterrupt(enough?: AbortSignal): void {
    if (signal.aborted || enough?.aborted) throw new Interrupted();
  }

  async function wait(ms: number, enough?: AbortSignal): Promise<void> {
    checkInterrupt(enough);
    if (ms <= 0) return;
    const end = enough ? AbortSignal.any([signal, enough]) : signal;
    await clock.sleep(ms, end).catch(() => checkInterrupt(enough));
  }

  /** Takes the next start that the limit allows; false where it may not start now. */
  async function start(mayStart: () => boolean): Promise<boolean> {
    checkInterrupt();
    const earlyMs = nextStartMs - clock.nowMs();
    if (earlyMs > 0) await wait(earlyMs);
    if (!mayStart() || clock.nowMs() < nextStartMs) return false;
    nextStartMs = clock.nowMs() + intervalMs;
    return true;
  }

  const isQuiet = (): boolean => waiting.size + waiting.pending === 0;

  return {
    async turn() {
      do await waiting.onIdle();
      while (!(await start(isQuiet)));
    },
    alone: (work) =>
      waiting.add(() =>
        work(async () => {
          while (!(await start(() => true)));
        }),
      ),
    wait,
  };
}
