import type { ExplorationEnd } from "../engine/events.ts";

/** How long exploration goes on. */
export interface ExploreLimits {
  readonly seconds?: number | undefined;
  /** Requests to the receiver, controls and shrinking included. */
  readonly requests?: number | undefined;
}

/** The requests where no limit is given. */
export const USUAL_REQUESTS = 3000;

/** What is left of the limits. */
export interface Left {
  /** Requests sent so far. */
  readonly used: () => number;
  /** Which limit is reached; `undefined` while none is. */
  readonly reached: () => ExplorationEnd | undefined;
  /** How many more requests may be sent. */
  readonly requests: () => number;
}

/** @param sent the requests of the run so far */
export function createLimits(
  { seconds, requests = seconds === undefined ? USUAL_REQUESTS : Infinity }: ExploreLimits,
  sent: () => number,
): Left {
  const began = sent();
  const endsMs = performance.now() + (seconds ?? Infinity) * 1000;
  const used = (): number => sent() - began;
  return {
    used,
    requests: () => requests - used(),
    reached() {
      if (used() >= requests) return "requests";
      return performance.now() >= endsMs ? "time" : undefined;
    },
  };
}
