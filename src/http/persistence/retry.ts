import type { Received } from "../connection/transport.ts";
import type { Reply, HttpRequest } from "../exchange.ts";
import { SECOND_TRIES, type SecondTry, waitBefore } from "../second-tries.ts";
import { NOT_ABOUT_THE_REQUEST, UNAVAILABLE } from "../statuses.ts";

/** Larger bodies are handled one by one, for the memory that they take. */
const SMALL_BYTES = 64 * 1024;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Whether a method is safe, RFC 9110 §9.2.1, so that sending it again changes nothing. */
export function isSafe(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Statuses of a lock that another request holds: RFC 9110 §15.5.10, RFC 4918 §11.3. */
export const CONFLICTS: ReadonlySet<number> = new Set([409, 423]);

/**
 * Whether a response may be due to other requests that were under way, so that it says nothing about this one: a lock, or
 * a server that takes only so many requests at once and says so with a 503 without `Retry-After`.
 * @param beside whether other requests were under way
 */
export function mayBeCrowded(
  { status }: Pick<Reply, "status">,
  { method }: Pick<HttpRequest, "method">,
  beside: boolean,
): boolean {
  if (!beside) return false;
  // What a write conflicts with may be another write, which the limit of writes finds out.
  return status === 503 || (CONFLICTS.has(status) && isSafe(method));
}

/** Whether a response is complete and small, and no request is sent again after one like it. */
export function isFinal({ status, body, cut }: Received): boolean {
  if (status === 0 || cut || body.length > SMALL_BYTES) return false;
  return !NOT_ABOUT_THE_REQUEST.has(status) && !CONFLICTS.has(status);
}

/** Whether a response says that the request was not processed and may be sent again later. */
export function asksToWait({ status, headers }: Pick<Reply, "status" | "headers">): boolean {
  return status === 429 || (status === 503 && retryAfterMs(headers) !== undefined);
}

/**
 * How long a response asks the client to wait, in milliseconds.
 * @param tries how many times the request has been sent
 * @returns `undefined` when the suite does not wait that long
 */
export function askedWaitMs(
  { headers }: Pick<Reply, "headers">,
  tries: number,
): number | undefined {
  const row = SECOND_TRIES.asksToWait;
  const waitMs = retryAfterMs(headers) ?? waitBefore(row, tries);
  return waitMs <= (row.waits?.mostMs ?? Number.POSITIVE_INFINITY) ? waitMs : undefined;
}

/**
 * How long to wait before sending again a request that had no response of the target itself, in
 * milliseconds.
 * @param tries how many times it has been sent
 * @param repeatable whether a write may be sent twice, except after a timeout; see `SendContext.repeatable`. Default: false
 * @returns `undefined` when it had a response, or may have arrived and must not arrive twice
 */
export function backoffMs(
  reply: Reply,
  spec: HttpRequest,
  tries: number,
  repeatable = false,
): number | undefined {
  const row = rowOf(reply, isSafe(spec.method), repeatable);
  return row && tries <= row.times ? waitBefore(row, tries) : undefined;
}

/** Why a request is sent again that had no response of the target itself; `undefined` where it is not. */
function rowOf(reply: Reply, isRead: boolean, repeatable: boolean): SecondTry | undefined {
  if (mayBeStarting(reply)) return isRead ? SECOND_TRIES.gateway : undefined;
  switch (reply.exchange.fault?.kind) {
    case "unreachable":
      return SECOND_TRIES.unreachable;
    case "reset":
    case "cut":
      if (isRead) return SECOND_TRIES.cutOff;
      // The first try of a repeatable write used a kept-alive connection. The second has its own, and its result stands.
      return repeatable ? SECOND_TRIES.cutOffWrite : undefined;
    // Bytes after a bad response may spoil the next one on a kept-alive connection.
    case "malformed":
      return isRead || repeatable ? SECOND_TRIES.malformed : undefined;
    // A write without an answer may have been carried out, and counts as one of the few that a run may make.
    case "timeout":
      return isRead ? SECOND_TRIES.timeout : undefined;
    default:
      return undefined;
  }
}

/** `Retry-After`, RFC 9110 §10.2.3, in milliseconds; `undefined` where it cannot be read. */
function retryAfterMs(headers: Reply["headers"]): number | undefined {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Za-z]{3,9},? .*\d/.test(value)) return undefined;
  // The date is by the deployment's clock, which may differ from ours.
  const now = Date.parse(headers["date"] ?? "");
  const waitMs = Date.parse(value) - (Number.isNaN(now) ? Date.now() : now);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Whether a response may come from a deployment that is starting, or from a gateway in front of it. */
export function mayBeStarting({ status }: Pick<Reply, "status">): boolean {
  return UNAVAILABLE.has(status);
}
