import { controlId, controlledOperation, ruleOfCase, SHARED } from "../contract/ids.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Control } from "../probe/controls/control.ts";
import type { Facts } from "../profile/facts.ts";
import { LIFETIME_SECONDS, type TokenForm } from "../tokens/draft.ts";
import { onlyRecorded } from "./missing.ts";
import { isLetIn, placeIn, recordedReply, TOKEN } from "./recorded-exchanges.ts";

/**
 * The first accepted control of an operation among exchanges.
 * @param bound requires a bound or an unbound token; default: whichever
 */
export function controlAmong(
  exchanges: Iterable<Exchange>,
  operation: OperationId,
  facts: Facts,
  bound?: boolean,
): Control | undefined {
  for (const exchange of exchanges) {
    if (controlledOperation(exchange.caseId) !== operation) continue;
    if (!isLetIn(exchange)) continue;
    const form = formOf(exchange, facts);
    if (bound !== undefined && form.bound !== bound) continue;
    const place = placeIn(exchange, OPERATIONS[operation], facts);
    if (place === undefined) continue;
    return onlyRecorded<Control>({
      operation: OPERATIONS[operation],
      form,
      place,
      exchange: exchange.id,
      reply: recordedReply(exchange),
    });
  }
  return undefined;
}

/** Finds the first accepted control of each operation, once. See `controlAmong`. */
export function firstControls(
  senders: ReadonlyMap<string, readonly Exchange[]>,
  facts: Facts,
): (operation: OperationId, bound?: boolean) => Control | undefined {
  const found = new Map<string, Control | undefined>();
  return (operation, bound) => {
    const key = `${operation} ${bound}`;
    if (!found.has(key))
      found.set(
        key,
        controlAmong(senders.get(controlId(operation)) ?? [], operation, facts, bound),
      );
    return found.get(key);
  };
}

/** Whether it is a control that was accepted (true) or was not (false); `undefined` where it is no control. */
export function isAcceptedControl(exchange: Exchange): boolean | undefined {
  if (isFlow(exchange)) return gaveToken(exchange);
  if (controlledOperation(exchange.caseId) === undefined) return undefined;
  return isLetIn(exchange);
}

/** Whether an exchange is of what several cases share, and was accepted. */
export function isAcceptedShared(exchange: Exchange): boolean {
  return ruleOfCase(exchange.caseId) === SHARED && isLetIn(exchange);
}

/** When the controls among exchanges were accepted, in milliseconds since the epoch. */
export function acceptedTimes(exchanges: Iterable<Exchange>): number[] {
  return [...exchanges].filter(isAcceptedControl).map(sentAt);
}

/** Whether an exchange is the token request of a working flow. */
function isFlow({ caseId, request: { body = "" } }: Exchange): boolean {
  return (
    caseId.startsWith(TOKEN) || (caseId.startsWith(controlId("")) && body.startsWith("grant_type="))
  );
}

/** Whether the answer to a token request has a token. One that is redacted as a whole may have one. */
function gaveToken({ response }: Exchange): boolean {
  const { body = "", token } = response ?? {};
  return token !== undefined || /^\[redacted|"access_token"/.test(body);
}

/** Milliseconds since the epoch. */
export function sentAt({ startedAt }: Exchange): number {
  return Date.parse(startedAt);
}

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
