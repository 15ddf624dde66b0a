import { setTimeout as sleep } from "node:timers/promises";

/** The time that waiting goes by; a test may bring its own. */
export interface Clock {
  /** Milliseconds that never go back, from anywhere. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds; rejects as soon as the signal is given. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
