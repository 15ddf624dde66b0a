import type { Clock } from "../../src/http/clock.ts";

/** A clock that advances only on demand. */
export interface ManualClock extends Clock {
  /** Resolves when a wait begins, with its length in milliseconds. */
  nextSleep(): Promise<number>;
  /** Advances the clock and ends the waits that are over. */
  advance(ms: number): void;
}

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

export function manualClock(): ManualClock {
  let now = 1000;
  let sleepers: Sleeper[] = [];
  const asleep: number[] = [];
  const waiting: ((ms: number) => void)[] = [];
  return {
    nowMs: () => now,
    sleep(ms, signal) {
      const next = waiting.shift();
      if (next) next(ms);
      else asleep.push(ms);
      return new Promise((wake, reject) => {
        sleepers.push({ untilMs: now + ms, wake });
        signal?.addEventListener("abort", () => reject(new Error("woken")), { once: true });
      });
    },
    nextSleep() {
      const ms = asleep.shift();
      return ms === undefined ? new Promise((done) => waiting.push(done)) : Promise.resolve(ms);
    },
    advance(ms) {
      now += ms;
      const due = sleepers.filter(({ untilMs }) => untilMs <= now);
      sleepers = sleepers.filter(({ untilMs }) => untilMs > now);
      for (const { wake } of due) wake();
    },
  };
}

/** A clock on which every wait ends at once, and the list of waits. */
export function hastyClock(): Clock & { readonly waits: readonly number[] } {
  let now = 1000;
  const waits: number[] = [];
  return {
    waits,
    nowMs: () => now,
    async sleep(ms) {
      waits.push(Math.round(ms));
      now += ms;
      await Promise.resolve();
    },
  };
}
