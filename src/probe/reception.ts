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

/** Whether there was a connection, and no answer to the request came of it: nobody was let in. */
export function hungUp({ exchange }: Pick<Reply, "exchange">): boolean {
  return exchange.fault?.kind === "reset" || exchange.fault?.kind === "malformed";
}

const FAULTS: Readonly<Record<TransportFault, string>> = {
  unreachable: "no connection could be made",
  tls: "the TLS connection failed",
  timeout: "no answer within the time limit",
  reset: "the connection was closed before an answer",
  cut: "the connection was closed in the middle of the answer",
  malformed: "the answer was not valid HTTP",
  cancelled: "the run was interrupted",
};

/** An answer in a few words: `403 Forbidden`, or why there was none. */
export function describeReply(reply: Pick<Reply, "status" | "headers" | "exchange">): string {
  const { fault } = reply.exchange;
  if (!fault) return [phrase(reply.status), ...wait(reply)].join(", ");
  const status = fault.status === undefined ? "" : `, ${phrase(fault.status)}`;
  return `${FAULTS[fault.kind]}${status} (${fault.message})`;
}

function phrase(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

/** What it asked for, where that was more than a run can wait. */
function wait({ status, headers }: Pick<Reply, "status" | "headers">): string[] {
  const asked = headers["retry-after"];
  return asked !== undefined && (status === 429 || status === 503)
    ? [`Retry-After: ${asked.slice(0, 40)}`]
    : [];
}
