import { STATUS_CODES } from "node:http";

import type { Reply, TransportFault } from "../http/exchange.ts";

/**
 * What an answer says about whether the request was let through:
 * - `accepted`: 2xx
 * - `rejected`: a 4xx but 408, 425 and 429, which do not speak of the request
 * - `redirected`: 3xx
 * - `broken`: a 5xx but 502, 503 and 504, which a gateway may have given
 * - `unclear`: nothing can be concluded
 */
export type Reception = "accepted" | "rejected" | "redirected" | "broken" | "unclear";

const NOT_ABOUT_THE_REQUEST = new Set([408, 425, 429, 502, 503, 504]);

/** Sorts an answer by its status. */
export function reception({ status }: { status: number }): Reception {
  if (status < 200 || NOT_ABOUT_THE_REQUEST.has(status)) return "unclear";
  if (status < 300) return "accepted";
  if (status < 400) return "redirected";
  return status < 500 ? "rejected" : "broken";
}

const FAULTS: Readonly<Record<TransportFault, string>> = {
  unreachable: "no connection could be made",
  tls: "the TLS connection failed",
  timeout: "no answer within the time limit",
  reset: "the connection was closed before an answer",
  malformed: "the answer was not valid HTTP",
  cancelled: "the run was interrupted",
};

/** An answer in a few words: `403 Forbidden`, or why there was none. */
export function describeReply(reply: Pick<Reply, "status" | "exchange">): string {
  const { fault } = reply.exchange;
  if (fault) return `${FAULTS[fault.kind]} (${fault.message})`;
  return `${reply.status} ${STATUS_CODES[reply.status] ?? ""}`.trim();
}
