import type { Reply } from "../http/exchange.ts";
import { type AnswerFact, type Phrase, phrase } from "./phrase.ts";

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

/** What came back, as a fact: a status, or why there was no whole answer. */
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

/** An answer in a few words: `403 Forbidden`, or why there was none. */
export function describeReply(reply: Pick<Reply, "status" | "headers" | "exchange">): Phrase {
  return phrase`${answerOf(reply)}`;
}
