import { isDeepStrictEqual } from "node:util";

import { controlledOperation, SERVER } from "../contract/ids.ts";
import { type Operation, OPERATIONS } from "../contract/operations.ts";
import type { Exchange, Reply, TokenNote, UnderWay } from "../http/exchange.ts";
import { CONFLICTS } from "../http/persistence/retry.ts";
import { isUnclearStatus } from "../http/statuses.ts";
import { groupBy } from "../lib/group-by.ts";
import { parseJson } from "../lib/json.ts";
import { distinct, submittedChangeIds } from "../probe/read/change-ids.ts";
import { receptionOf, wasLetIn } from "../probe/reception.ts";
import { type PathParams, pathTemplate, uniqueIn } from "../probe/request.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import type { Facts } from "../profile/facts.ts";
import { base64url, type Segments } from "../tokens/compact.ts";
import { NotRecorded, notRecorded, onlyRecorded } from "./missing.ts";

/** Names good token requests, before the name of the client. */
export const TOKEN: string = `${SERVER}/token-`;

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
  return () =>
    (written ??= firstOfEach(
      [...exchanges.values()].flatMap((one) => writtenBy(one, facts) ?? []),
    ));
}

/** A write that sends the value of an earlier one again has none of its own. */
function firstOfEach(all: readonly UniqueValue[]): readonly UniqueValue[] {
  const inOrder = all.toSorted((a, b) => a.sentMs - b.sentMs);
  return [...groupBy(inOrder, ({ value }) => value).values()].flatMap(([first]) => first ?? []);
}

/** What a recorded write wrote; `undefined` where nothing in it is unique. */
function writtenBy(exchange: Exchange, facts: Facts): UniqueValue | undefined {
  const { request, response, caseId, id } = exchange;
  const { operation = controlledOperation(caseId) } = exchange;
  const value = uniqueIn(request.body ?? "");
  if (value === undefined || operation === undefined) return undefined;
  const organization = placeIn(exchange, OPERATIONS[operation], facts)?.organization;
  const received = receptionOf(exchange);
  return {
    value,
    caseId,
    operation,
    organization,
    isInBody: true,
    status: response?.status ?? 0,
    received,
    exchange: id,
    get purpose() {
      return notRecorded("request");
    },
    sentMs: Date.parse(exchange.startedAt),
    get changeIds() {
      const reply = recordedReply(exchange);
      return operation === "submitChange" && received === "accepted"
        ? distinct(submittedChangeIds(reply, facts.operations[operation], organization))
        : [];
    },
  };
}

/** The segments of a token with recorded header and claims. Its signature, which no report holds, is none. */
export function unsignedSegments({ header, claims }: TokenNote): Segments {
  return {
    header: base64url(JSON.stringify(header)),
    payload: base64url(JSON.stringify(claims)),
    signature: base64url("signature"),
  };
}

const HEAD = "response.headers";

/**
 * An answer for rules, made from its record. A body that was not recorded unchanged (long, redacted, or not
 * UTF-8) counts as not recorded: reading it throws NotRecorded.
 * @throws NotRecorded when the exchange has neither a response nor a fault
 */
export function recordedReply(exchange: Exchange): Reply {
  const { response, fault, redactions = [], durationMs } = exchange;
  if (!response) {
    if (!fault) throw new NotRecorded("answer");
    return {
      exchange,
      status: 0,
      headers: {},
      body: "",
      hasBody: false,
      isUtf8: true,
      cut: false,
      json: () => undefined,
      keep() {},
    };
  }
  const { status, truncated, undecoded } = response;
  const from = Date.parse(exchange.startedAt);
  const whole = (): string => {
    const { body } = response;
    const isRedacted = redactions.some(({ place }) => place === "response.body");
    if (truncated || isRedacted || /\[redacted|\uFFFD/.test(body)) throw new NotRecorded("answer");
    return body;
  };
  return {
    exchange,
    status,
    underWay: onlyRecorded<UnderWay>({ from, to: from + durationMs }, "time"),
    get headers() {
      return recordedHeaders(exchange);
    },
    get body() {
      return whole();
    },
    get hasBody() {
      return response.body !== "" || truncated;
    },
    get isUtf8() {
      whole();
      return true;
    },
    get cut() {
      whole();
      return false;
    },
    ...(undecoded && { undecoded }),
    json: () => (undecoded ? undefined : parseJson(whole())),
    keep() {},
  };
}

/**
 * The fields that were recorded as they came.
 * @throws NotRecorded from the result, when another field is read that was there, or may have been there
 */
function recordedHeaders({ response, redactions = [] }: Exchange): Reply["headers"] {
  const { headers = {}, truncated = false } = response ?? {};
  const places = new Set(redactions.map(({ place }) => place));
  const known = { ...headers };
  for (const name of Object.keys(headers)) {
    if (!places.has(`${HEAD}.${name}`)) continue;
    Object.defineProperty(known, name, {
      get() {
        throw new NotRecorded("answer");
      },
    });
  }
  // A redacted name stands for one that nobody knows.
  return truncated || places.has(HEAD) ? onlyRecorded<Reply["headers"]>(known) : known;
}
