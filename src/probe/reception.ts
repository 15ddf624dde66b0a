import type { Exchange, Reply } from "../http/exchange.ts";
import { isSafe } from "../http/persistence/retry.ts";
import { NOT_ABOUT_THE_REQUEST } from "../http/statuses.ts";
import { type AnswerFact, type Phrase, phrase } from "./phrase.ts";

/**
 * What an answer says about the request:
 * - `accepted`: 2xx, or a 303 that leads to what was written; see `leadsToWritten`
 * - `rejected`: 4xx other than 408, 425 and 429, which are not about the request
 * - `redirected`: any other 3xx
 * - `broken`: 5xx other than 502, 503 and 504, which a gateway may have sent
 * - `unclear`: nothing can be concluded
 */
export type Reception = "accepted" | "rejected" | "redirected" | "broken" | "unclear";

/** Classifies an answer by its status, and the one that a 303 leads to. */
export function reception({
  status,
  exchange,
}: {
  readonly status: number;
  readonly exchange?: Pick<Exchange, "request" | "response"> | undefined;
}): Reception {
  if (status < 200 || NOT_ABOUT_THE_REQUEST.has(status)) return "unclear";
  if (status < 300) return "accepted";
  if (status === SEE_OTHER && exchange && leadsToWritten(exchange)) return "accepted";
  if (status < 400) return "redirected";
  return status < 500 ? "rejected" : "broken";
}

/** What the recorded answer of an exchange says about its request; `unclear` where there is none. */
export function receptionOf(exchange: Exchange): Reception {
  return reception({ status: exchange.response?.status ?? 0, exchange });
}

/** The answer to a request is at another place, RFC 9110 §15.4.4. */
export const SEE_OTHER = 303;

/**
 * Whether the `Location` of an answer to a write names the organization that was written, or a change. On any host: a
 * gateway may know the deployment by another name. The contract does not say how success is answered.
 */
function leadsToWritten({ request, response }: Pick<Exchange, "request" | "response">): boolean {
  const location = response?.headers["location"];
  const [, written, changes] = WRITTEN.exec(request.url) ?? [];
  if (isSafe(request.method) || location === undefined || written === undefined) return false;
  if (!URL.canParse(location, request.url)) return false;
  const path = `${new URL(location, request.url).pathname.toLowerCase()}/`;
  const leadsToChange = changes !== undefined && /\/changes\/[^/]+\/$/.test(path);
  return leadsToChange || path.includes(`/orgs/${written.toLowerCase()}/`);
}

/** The end of the URL of a write: the organization, and whether a change is submitted. */
const WRITTEN = /\/orgs\/([^/?#]+)(\/changes)?\/?(?:[?#]|$)/;

/** Whether the status says that the request was accepted, even where the rest is lost. */
export function wasLetIn({ status, exchange }: Pick<Reply, "status" | "exchange">): boolean {
  const { fault } = exchange;
  return reception({ status: fault?.status ?? status, exchange }) === "accepted";
}

/** Whether the connection was closed or the answer was not HTTP. Then nobody was let in. */
export function hungUp({ exchange }: Pick<Reply, "exchange">): boolean {
  return exchange.fault?.kind === "reset" || exchange.fault?.kind === "malformed";
}

/** Whether nothing can be concluded about who was let in. A closed connection is no answer, and lets nobody in. */
export function isUnclear(reply: Pick<Reply, "status" | "exchange">): boolean {
  return reception(reply) === "unclear" && !hungUp(reply);
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
