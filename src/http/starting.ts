import type { Reply } from "./exchange.ts";

/** The most times that a request is sent while the deployment may be starting. */
export const MOST_TRIES_AT_START = 6;

const PAUSE_MS = 50;

/** Statuses that gateways send while the server behind them is away, and servers while they start. */
const STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a response may come from a deployment that is starting, or from a gateway in front of it. */
export function mayBeStarting({ status }: Pick<Reply, "status">): boolean {
  return STATUSES.has(status);
}

/**
 * How long to wait before a request is sent again that had no clear answer, in milliseconds: each time a
 * little longer.
 * @param tries how many times it has been sent
 */
export function pauseMs(tries: number): number {
  return (tries - 1) * PAUSE_MS;
}
