import type { Exchange } from "../http/exchange.ts";
import { type ErrorAnswer, judgeErrorBody, owesErrorBody } from "../probe/errors/error-record.ts";
import { type Rejection, rejectionOf } from "../probe/errors/rejected-log.ts";
import type { OutgoingRequest } from "../probe/outgoing-request.ts";
import { receptionOf } from "../probe/reception.ts";
import { toldOf } from "../probe/told-exchange.ts";
import { recordedReply } from "./recorded-exchanges.ts";

// One exchange may be asked about in many questions, see `rejudging`, so what it shows is kept.
const errors = new WeakMap<Exchange, ErrorAnswer | undefined>();
const rejections = new WeakMap<Exchange, Rejection | undefined>();

/** The error answer of an exchange; `undefined` where it is none that must have an Error body, or cannot be read. */
export function errorIn(exchange: Exchange): ErrorAnswer | undefined {
  if (!errors.has(exchange)) errors.set(exchange, judgedError(exchange));
  return errors.get(exchange);
}

function judgedError(exchange: Exchange): ErrorAnswer | undefined {
  const { operation, id, response } = exchange;
  if (!operation || !response || !owesErrorBody(response.status)) return undefined;
  try {
    return {
      ...judgeErrorBody(recordedReply(exchange)),
      operation,
      exchange: id,
      arrived: 0,
      ...toldOf(exchange),
      again: () => Promise.resolve(undefined),
    };
  } catch {
    return undefined;
  }
}

/**
 * The rejection that an exchange records; `undefined` where it is none.
 * @param sending the request as its rule made it
 */
export function rejectionIn(
  exchange: Exchange,
  sending: OutgoingRequest | undefined,
): Rejection | undefined {
  if (!sending || !wasRejected(exchange)) return undefined;
  if (!rejections.has(exchange)) {
    const reply = recordedReply(exchange);
    rejections.set(exchange, rejectionOf({ reply, sending, ordinary: exchange.operation }));
  }
  return rejections.get(exchange);
}

/** Whether an ordinary request of an operation was rejected. */
export function wasRejected(exchange: Exchange): boolean {
  return exchange.operation !== undefined && receptionOf(exchange) === "rejected";
}
