import type { Received } from "../connection/transport.ts";

/** A larger response takes so much memory that few are received at once. */
const LARGE_BYTES = 1024 * 1024;
/** The requests in flight at once for a target with large responses, and the fewest for one that serves few at once. */
const FEW = 2;
/** After so many responses, one more request may be in flight again. */
const CALM = 32;

/** Adapts the number of requests in flight to what a deployment can serve at once. */
export interface InFlight {
  /** Notes a response of whatever kind. */
  note(received: Pick<Received, "body" | "cut">): void;
  /** Notes that the deployment served a request alone that it did not serve beside others. */
  noteCrowded(): void;
}

/**
 * Creates the adaptation of a queue. A crowded deployment gets one request fewer at once, and one more again after a
 * while: it may have been busy with something else.
 * @param queue its `concurrency` is changed
 * @param concurrency the most requests in flight at once
 */
export function createInFlight(queue: { concurrency: number }, concurrency: number): InFlight {
  const few = Math.min(concurrency, FEW);
  let most = concurrency;
  /** The responses since the number last changed. */
  let calm = 0;

  function set(requests: number): void {
    if (requests === queue.concurrency) return;
    queue.concurrency = requests;
    calm = 0;
  }

  return {
    note({ body, cut }) {
      calm += 1;
      if (body.length > LARGE_BYTES || cut) most = few;
      set(Math.min(most, calm < CALM ? queue.concurrency : queue.concurrency + 1));
    },
    noteCrowded() {
      set(Math.max(few, queue.concurrency - 1));
    },
  };
}
