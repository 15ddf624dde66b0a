import type { Reply } from "../../http/exchange.ts";
import { isSafe } from "../../http/persistence/retry.ts";
import { reception } from "../reception.ts";

/** Tells which answers of a run may not show an accepted write yet. */
export interface Settling {
  /** Records a request and its answer, with when it was sent by `performance.now`. */
  note(method: string, reply: Reply, sentMs: number): void;
  /**
   * The milliseconds until every accepted write must show, where one of these requests was sent
   * before then; otherwise `undefined`. A write that may have been accepted counts too.
   * @param exchanges ids of exchanges
   */
  leftMs(exchanges: readonly string[]): number | undefined;
}

/** @param patienceMs how long an accepted write may take to show, in milliseconds */
export function createSettling(patienceMs: number): Settling {
  const sent = new Map<string, number>();
  let lastWriteMs = Number.NEGATIVE_INFINITY;
  return {
    note(method, reply, sentMs) {
      if (isSafe(method)) sent.set(reply.exchange.id, sentMs);
      else if (reception(reply) !== "rejected") lastWriteMs = performance.now();
    },
    leftMs(exchanges) {
      const settledMs = lastWriteMs + patienceMs;
      const isEarly = exchanges.some(
        (id) => (sent.get(id) ?? Number.POSITIVE_INFINITY) < settledMs,
      );
      return isEarly ? Math.max(0, settledMs - performance.now()) : undefined;
    },
  };
}
