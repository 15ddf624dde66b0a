import type { Reply } from "../../http/exchange.ts";
import { parseJson, quoteLongIntegers } from "../../lib/json.ts";

/** An integer may be too long for a number from 16 digits on. Each run of digits is searched once, however long it is. */
const LONG = /(?:^|\D)\d{16}/;

/**
 * The JSON of an answer, for reading ids. Integers that a number cannot hold exactly are strings of
 * their digits, because an id may be a 64-bit integer. All other values are those of `reply.json()`.
 */
export function exactJson(reply: Pick<Reply, "json" | "body">): unknown {
  const value = reply.json();
  if (value === undefined || !LONG.test(reply.body)) return value;
  return parseJson(quoteLongIntegers(reply.body)) ?? value;
}
