import type { Reply } from "../http/exchange.ts";
import { NOT_ABOUT_THE_REQUEST } from "../http/statuses.ts";
import { type AnswerFact, type Phrase, phrase } from "./phrase.ts";

/**
 * What an answer says about the request:
 * - `accepted`: 2xx
 * - `rejected`: 4xx other than 408, 425 and 429, which are not about the request
 * - `redirected`: 3xx
 * - `broken`: 5xx other than 502, 503 and 504, which a gateway may have sent
 * - `unclear`: nothing can be concluded
 */
export type Reception = "accepted" | "rejected" | "redirected" | "broken" | "unclear";

/** Classifies an answer by its status. */
export function reception({ status }: { status: number }): Reception {
  if (status < 200 || NOT_ABOUT_THE_REQUEST.has(status)) return "unclear";
  if (status < 300) return "accepted";
  if (status < 400) return "redirected";
  return status < 500 ? "rejected" : "broken";
}

/**
 * Whether the status says that the request was accepted, even where the rest of the answer is lost.
 */
export function wasLetIn({
  status,
  exchange: { fault },
}: Pick<Reply, "status" | "exchange">): boolean {
  return reception({ status: fault?.status ?? status }) === "accepted";
}

/** Whether the connection was closed or the answer was not HTTP. Then nobody was let in. */
export function hungUp({ exchange }: Pick<Reply, "exchange">): boolean {
  return exchange.fault?.kind === "reset" || exchange.fault?.kind === "malformed";
}

/** An answer as a fact: a status, or why there was no complete answer. */
export function answerOf({
  status,
  headers,
  exchange: { fault },
}: Pick<Reply, "status" | "headers" | "exchange">): AnswerFact {
  if (fault) {
    return { kind: "answer", status: fault.status ?? 0, fault: fault.kind, message: fault.message };
  }
  const retryAfter =
    status === 429 || status === 503 ? headers["retry-after"]?.slice(0, 40) : undefined;
  return { kind: "answer", status, ...(retryAfter !== undefined && { retryAfter }) };
}

/** An answer as a short phrase: `403 Forbidden`, or why there was none. */
export function describeReply(reply: Pick<Reply, "status" | "headers" | "exchange">): Phrase {
  return phrase`${answerOf(reply)}`;
}
