import { setTimeout as sleep } from "node:timers/promises";

/** A clock that measures waiting. Tests can replace it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back; the origin is arbitrary. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds. Rejects as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
