import { isDeepStrictEqual } from "node:util";

import { controlId, controlledOperation } from "../contract/ids.ts";
import { type Operation, type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Exchange, TokenNote } from "../http/exchange.ts";
import { CONFLICTS } from "../http/persistence/retry.ts";
import { isUnclearStatus } from "../http/statuses.ts";
import { groupBy } from "../lib/group-by.ts";
import type { Control } from "../probe/controls/control.ts";
import { distinct, submittedChangeIds } from "../probe/read/change-ids.ts";
import { reception, wasLetIn } from "../probe/reception.ts";
import { type PathParams, pathTemplate, uniqueIn } from "../probe/request.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import type { Facts } from "../profile/facts.ts";
import { base64url, type Segments } from "../tokens/compact.ts";
import { formOf } from "./good-form.ts";
import { onlyRecorded } from "./missing.ts";
import { recordedReply } from "./recorded-reply.ts";
import { TOKEN } from "./server-request.ts";

/** Exchanges that wait to be asked for, in the order in which they were sent. */
export type Pool = Exchange[];

/** What a run has sent. */
export interface Sent {
  readonly facts: Facts;
  /** The exchanges of each sender, in the order in which they were sent. */
  readonly senders: ReadonlyMap<string, readonly Exchange[]>;
}

/** The exchanges of each sender, in the order in which they were sent. */
export function bySender(exchanges: Iterable<Exchange>): ReadonlyMap<string, Pool> {
  const senders = groupBy(exchanges, ({ caseId }) => caseId);
  for (const [name, pool] of senders) {
    // The number of a control is one among those for the same purpose.
    if (controlledOperation(name) === undefined) pool.sort((a, b) => numberOf(a) - numberOf(b));
    else pool.sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  }
  return senders;
}

/** The number of an exchange among those with the same beginning of their ids. */
export function numberOf({ id }: Pick<Exchange, "id">): number {
  return Number(id.slice(id.lastIndexOf("~") + 1));
}

/** Whether an exchange has no answer, or one after which a request may be sent again. */
export function isUnclear({ response, fault }: Exchange): boolean {
  const status = response?.status ?? 0;
  return fault !== undefined || isUnclearStatus(status) || CONFLICTS.has(status);
}

/** The exchanges of a sender without those after which the same request was sent again, because their answers said nothing of it. */
export function withoutRepeated(sent: readonly Exchange[]): Pool {
  return sent.filter((one, at) => {
    const next = sent[at + 1];
    return !(next && isUnclear(one) && isDeepStrictEqual(next.request, one.request));
  });
}

/** Whether the recorded status says that the request was accepted; see `wasLetIn`. */
export function isLetIn(exchange: Exchange): boolean {
  return wasLetIn({ status: exchange.response?.status ?? 0, exchange });
}

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

/** The parameters in the path of a good request; `undefined` where it has another path. */
export function placeIn(
  { request: { url } }: Exchange,
  operation: Operation,
  facts: Facts,
): PathParams | undefined {
  const wanted = (facts.origin + pathTemplate(facts, operation)).split("/");
  const segments = url.split("/");
  if (segments.length !== wanted.length) return undefined;
  const at = (parameter: string): string | undefined => {
    const segment = segments[wanted.indexOf(parameter)];
    return segment === undefined ? undefined : decodeURIComponent(segment);
  };
  try {
    const [organization, changeId] = [at("{orgId}"), at("{changeId}")];
    return {
      ...(organization !== undefined && { organization }),
      ...(changeId !== undefined && { changeId }),
    };
  } catch {
    return undefined;
  }
}

/** What the recorded writes wrote. They are read once, when somebody asks. */
export function writtenOf(
  exchanges: ReadonlyMap<string, Exchange>,
  facts: Facts,
): () => readonly UniqueValue[] {
  let written: readonly UniqueValue[] | undefined;
  return () => (written ??= [...exchanges.values()].flatMap((one) => writtenBy(one, facts) ?? []));
}

/** What a recorded write wrote; `undefined` where nothing in it is unique. */
function writtenBy(exchange: Exchange, facts: Facts): UniqueValue | undefined {
  const { operation, request, response, caseId, id } = exchange;
  const value = uniqueIn(request.body ?? "");
  if (value === undefined || operation === undefined) return undefined;
  const organization = placeIn(exchange, OPERATIONS[operation], facts)?.organization;
  const received = reception({ status: response?.status ?? 0, exchange });
  return onlyRecorded<UniqueValue>({
    value,
    caseId,
    operation,
    organization,
    isInBody: true,
    status: response?.status ?? 0,
    received,
    exchange: id,
    get changeIds() {
      const reply = recordedReply(exchange);
      return operation === "submitChange" && received === "accepted"
        ? distinct(submittedChangeIds(reply, facts.operations[operation], organization))
        : [];
    },
  });
}

/** The segments of a token with recorded header and claims. Its signature, which no report holds, is none. */
export function unsignedSegments({ header, claims }: TokenNote): Segments {
  return {
    header: base64url(JSON.stringify(header)),
    payload: base64url(JSON.stringify(claims)),
    signature: base64url("signature"),
  };
}

/** Whether it is a control that was accepted (true) or was not (false); `undefined` where it is no control. */
export function isAcceptedControl(exchange: Exchange): boolean | undefined {
  if (isFlow(exchange)) return gaveToken(exchange);
  if (controlledOperation(exchange.caseId) === undefined) return undefined;
  return isLetIn(exchange);
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
