import type { Exchange } from "../http/exchange.ts";
import type { Facts } from "../profile/facts.ts";
import { LIFETIME_SECONDS, type TokenForm } from "../tokens/draft.ts";

/** The permitted clock skew, and the resolution of `Date`, in seconds. */
export const SKEW_SECONDS = 6;

/** A request may have waited for its turn, or as long as an answer asked, since its token was drafted. */
export const WAITED_SECONDS = 600;
/** The form of a control's token, by the clocks that it shows. */
export function formOf(control: Exchange, facts: Facts): TokenForm {
  const { header, claims } = control.request.token ?? {};
  const typ = header?.["typ"];
  const offset = Number(claims?.["exp"]) - LIFETIME_SECONDS - secondsOf(control);
  return {
    typ: typ === "JWT" || typ === "at+jwt" ? typ : undefined,
    bound: facts.bindingClaim !== undefined && claims?.[facts.bindingClaim] !== undefined,
    scopes: String(claims?.["scope"]).includes(" ") ? "all" : "required",
    clockOffsetSeconds: Math.abs(offset) <= WAITED_SECONDS ? 0 : offset,
    dateOffsetSeconds: secondsAhead(control),
    atMs: Date.parse(control.startedAt),
  };
}

/** The time at which a request was sent, in whole seconds since the epoch. */
export function secondsOf({ startedAt }: Exchange): number {
  return Math.floor(Date.parse(startedAt) / 1000);
}

/** The seconds by which the `Date` of an answer is ahead; 0 where it hardly differs, or there is none. */
export function secondsAhead({ startedAt, durationMs, response }: Exchange): number {
  const ahead = (Date.parse(response?.headers["date"] ?? "") - Date.parse(startedAt)) / 1000;
  const isUsual = ahead >= -SKEW_SECONDS && ahead <= durationMs / 1000 + SKEW_SECONDS;
  return Number.isNaN(ahead) || isUsual ? 0 : Math.floor(ahead);
}
