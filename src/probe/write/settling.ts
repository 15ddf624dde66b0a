import type { Reply } from "../../http/exchange.ts";
import { isSafe } from "../../http/retry.ts";
import { reception } from "../reception.ts";

/** Which answers of a run were asked for while an accepted write could still take to show. */
export interface Settling {
  /**
   * Takes note of a request and its answer.
   * @param sentMs when it was sent, by `performance.now`
   */
  note(method: string, reply: Reply, sentMs: number): void;
  /**
   * How long until every accepted write has to show, in milliseconds, where one of these answers was asked for before
   * that; `undefined` where none was. What may have been accepted counts too.
   * @param exchanges ids
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
