import type { Reply } from "./exchange.ts";

/** The `Date` header counts whole seconds. */
const DATE_GRAIN_MS = 1000;

/**
 * How many seconds the `Date` header of an answer (RFC 9110 section 6.6.1) is ahead of this machine's clock; the age of an answer
 * from a cache is added to it.
 * @returns 0 where the header fits this machine's clock at some moment between sending and receiving; `undefined` without a date
 */
export function clockOffsetSeconds({
  headers,
  exchange,
}: Pick<Reply, "headers" | "exchange">): number | undefined {
  const ageSeconds = /^\d{1,9}$/.test(headers["age"] ?? "") ? Number(headers["age"]) : 0;
  const date = Date.parse(headers["date"] ?? "") + ageSeconds * 1000;
  if (Number.isNaN(date)) return undefined;
  const sent = Date.parse(exchange.startedAt);
  const least = date - (sent + exchange.durationMs);
  const most = date + DATE_GRAIN_MS - sent;
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2000);
}
