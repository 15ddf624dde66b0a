import type { Reply } from "../exchange.ts";
import { UNAVAILABLE } from "../statuses.ts";

/** The most times that a request is sent while the deployment may be starting. */
export const MOST_TRIES_AT_START = 6;

const PAUSE_MS = 50;

/** Whether a response may come from a deployment that is starting, or from a gateway in front of it. */
export function mayBeStarting({ status }: Pick<Reply, "status">): boolean {
  return UNAVAILABLE.has(status);
}

/** How long to wait before a request without a clear answer is sent again, in milliseconds. */
export function pauseMs(tries: number): number {
  return (tries - 1) * PAUSE_MS;
}
