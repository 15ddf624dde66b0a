import type { Reply, HttpRequest } from "./exchange.ts";

/** Sendings of one request at the most, in a row. */
export const MOST_TRIES = 4;

/** What asks for a longer wait is not waited for. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const RESET_BACKOFF_MS = 50;
const GATEWAY_BACKOFF_MS = 100;
/** What gateways answer on their own while something behind them is away for a moment. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Whether a method only reads, RFC 9110 §9.2.1, so that sending it again changes nothing. */
export function isSafe(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Whether an answer says that the request was not looked at and may be sent again later. */
export function asksToWait({ status, headers }: Pick<Reply, "status" | "headers">): boolean {
  return status === 429 || (status === 503 && retryAfterMs(headers) !== undefined);
}

/**
 * How long an answer asks to wait, in milliseconds.
 * @param tries how often the request has been sent
 * @returns `undefined` when that is too long to wait for
 */
export function askedWaitMs(
  { headers }: Pick<Reply, "headers">,
  tries: number,
): number | undefined {
  const waitMs = retryAfterMs(headers) ?? FIRST_BACKOFF_MS * 2 ** (tries - 1);
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}

/**
 * How long to wait before a request that had no answer of the target's own is sent again, in milliseconds.
 * @param tries how often it has been sent
 * @param repeatable whether it does no harm twice, though its method writes; see `SendContext.repeatable`. Default: false
 * @returns `undefined` when it had one, or could have arrived and must not do so twice
 */
export function backoffMs(
  reply: Reply,
  spec: HttpRequest,
  tries: number,
  repeatable = false,
): number | undefined {
  // Its first try was on a kept connection, and the second has one of its own: what that comes to is the answer.
  const mayRepeat = isSafe(spec.method) || (repeatable && tries === 1);
  if (GATEWAY_STATUSES.has(reply.status)) {
    return isSafe(spec.method) && tries === 1 ? GATEWAY_BACKOFF_MS : undefined;
  }
  switch (reply.exchange.fault?.kind) {
    case "unreachable":
      return RESET_BACKOFF_MS * tries;
    case "reset":
    case "cut":
      return mayRepeat ? RESET_BACKOFF_MS * tries : undefined;
    // What follows a bad answer on a kept connection may spoil the next one.
    case "malformed":
    case "timeout":
      return mayRepeat && tries === 1 ? 0 : undefined;
    default:
      return undefined;
  }
}

/** `Retry-After`, RFC 9110 §10.2.3, seconds or a date; `undefined` where it is neither. */
function retryAfterMs(headers: Reply["headers"]): number | undefined {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Za-z]{3,9},? .*\d/.test(value)) return undefined;
  // The date is by the deployment's clock, which need not be ours.
  const now = Date.parse(headers["date"] ?? "");
  const waitMs = Date.parse(value) - (Number.isNaN(now) ? Date.now() : now);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
