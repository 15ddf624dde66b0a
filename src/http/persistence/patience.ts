import { IN_VAIN } from "../second-tries.ts";

/** How long a client waits in total where answers ask it to. */
export interface Patience {
  /** Whether it waits once more, for so many milliseconds. If it does, the wait is counted. */
  grants(waitMs: number): boolean;
  /** Must be called for every response that does not ask to wait. */
  noteAnswer(): void;
  /** Whether to wait is in vain, where a request has waited for so many milliseconds and was refused again each time. */
  isVain(waitedMs: number): boolean;
  /** Must be called where a request was refused again after each wait, with the milliseconds that it waited. */
  noteVain(waitedMs: number): void;
  /** How many requests were not sent again, because the time was used up. */
  readonly refused: number;
}

/**
 * Limits the time that a run spends with waiting for one server. A limit of the request rate, which leaves room for
 * a request per second, is obeyed as long as it takes: a wait counts only as far as fewer requests were answered since
 * the wait before it than it has seconds. A lock that the next probe brings about again is waited for only until the
 * time is used up. Nor does it wait any more once it has waited half a minute, or a tenth of the time, for requests that
 * were refused again after each wait: a server that refuses what is wrong in this way would hold a run for an hour.
 * @param limitMs no limit when absent
 */
export function createPatience(limitMs: number = Number.POSITIVE_INFINITY): Patience {
  let leftMs = limitMs;
  let answers = 0;
  let refused = 0;
  let vainMs = 0;
  const mostVainMs = Math.max(IN_VAIN.leastMs, limitMs * IN_VAIN.part);
  const isVain = (waitedMs: number): boolean => vainMs + waitedMs >= mostVainMs;
  return {
    grants(waitMs) {
      // Those that were told together wait together.
      if (waitMs <= 0) return true;
      const costMs = Math.max(0, waitMs - answers * 1000);
      answers = 0;
      if (isVain(0) || costMs > leftMs) {
        refused += 1;
        return false;
      }
      leftMs -= costMs;
      return true;
    },
    noteAnswer() {
      answers += 1;
    },
    isVain,
    noteVain(waitedMs) {
      vainMs += waitedMs;
    },
    get refused() {
      return refused;
    },
  };
}
