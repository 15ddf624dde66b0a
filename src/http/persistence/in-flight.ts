import type { UnderWay } from "../exchange.ts";

/** The most requests in flight at once where the caller names no number. */
export const MOST_IN_FLIGHT = 16;
/** So many begin, as in TCP (RFC 6928), and each answer allows one more until the deployment is crowded for the first time. */
const FIRST = 4;
/** After so many answers, one more request may be in flight again. */
const CALM = 32;
/** The most requests in flight at once for a target with large responses, which take memory. */
const MOST_LARGE = 2;

/** An answer is slow if it takes longer than so many times the shortest time of its kind. */
const SLOW = 1.5;
/** Shorter times differ by accident. */
const SHORTEST_MS = 5;
/** The deployment slows down if most of so many answers are slow: single ones may be slow for reasons of their own. */
const SAMPLE = 8;

/** Adapts the number of requests in flight to what a deployment can serve at once. */
export interface InFlight {
  /**
   * Notes an answer to a request.
   * @param kind equal for requests that take the deployment the same time, with equal answers
   * @param large whether the answer takes much memory
   */
  note(kind: string, load: UnderWay, large: boolean): void;
  /** Notes that a request was not served because of others. `nowMs` is by the load's clock. */
  noteCrowded(load: UnderWay, nowMs: number): void;
}

/**
 * Creates the adaptation of a queue. As congestion control in TCP does (RFC 5681), it halves the number in flight when the
 * deployment refuses requests or slows down, and adds one after some answers without either. So a deployment that serves one request
 * at a time gets one at a time, but for a try now and then.
 * @param queue its `concurrency` is changed
 */
export function createInFlight(queue: { concurrency: number }): InFlight {
  let most = MOST_IN_FLIGHT;
  let isStarting = true;
  /** When the number was last reduced. What was sent before says nothing about the new number. */
  let reducedAtMs = Number.NEGATIVE_INFINITY;
  /** The answers since the number last changed. */
  let calm = 0;
  let [sampled, slow] = [0, 0];
  const shortestMs = new Map<string, number>();

  function set(requests: number): void {
    queue.concurrency = Math.max(1, Math.min(most, requests));
    calm = 0;
  }

  function reduce({ from, others }: UnderWay, nowMs: number): void {
    if (others === 0 || from < reducedAtMs) return;
    isStarting = false;
    reducedAtMs = nowMs;
    [sampled, slow] = [0, 0];
    set(Math.floor(Math.min(queue.concurrency, others + 1) / 2));
  }

  /** Whether an answer took longer than others of its kind; undefined where nothing is known of them. */
  function isSlow(kind: string, { from, to, idleMs }: UnderWay): boolean | undefined {
    const known = shortestMs.get(kind);
    shortestMs.set(kind, Math.min(to - from, known ?? Infinity));
    // While the suite works, it cannot tell whether an answer has come.
    return known === undefined ? undefined : idleMs > SLOW * Math.max(known, SHORTEST_MS);
  }

  queue.concurrency = FIRST;
  return {
    note(kind, load, large) {
      if (large && most !== MOST_LARGE) {
        most = MOST_LARGE;
        set(queue.concurrency);
      }
      const isSlower = isSlow(kind, load);
      if (load.from < reducedAtMs) return;
      if (load.others > 0 && isSlower !== undefined) {
        sampled += 1;
        slow += Number(isSlower);
      }
      if (sampled === SAMPLE) {
        if (slow > SAMPLE / 2) {
          reduce(load, load.to);
          return;
        }
        [sampled, slow] = [0, 0];
      }
      calm += 1;
      if (calm >= (isStarting ? 1 : CALM)) set(queue.concurrency + 1);
    },
    noteCrowded: reduce,
  };
}
