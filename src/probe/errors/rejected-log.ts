import type { ReceiverCheck } from "../../contract/checks.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import type { Answered, Observe, OutgoingRequest } from "../outgoing-request.ts";
import { isLong, textsIn } from "../read/texts.ts";
import { reception } from "../reception.ts";
import { type ToldExchange, toldOf } from "../told-exchange.ts";

/** An answer that rejects a request that fails a receiver check, and what it says. */
export interface RejectedAnswer extends Pick<ToldExchange, "method" | "path" | "mutation"> {
  readonly operation: OperationId;
  readonly check: ReceiverCheck;
  /** The organization in the path; `undefined` for the primary one and where the path names none. */
  readonly organization: string | undefined;
  readonly exchange: string;
  readonly status: number;
  /** The texts that are values in its body beside `message`, without those that the request had. */
  readonly texts: readonly string[];
  /** Longer texts beside `message`, or a body that is not JSON, in which values may be; what the request had is taken out. */
  readonly longer: string;
  /** `message`, likewise. */
  readonly message: string;
  /** Whether the scopes of the token may let it view the organization, though they do not cover this operation. */
  readonly mayView: boolean;
}

/** The rejected requests of a run. */
export interface RejectedLog {
  /** How many requests of an operation were rejected. */
  count(operation: OperationId): number;
  /** Those whose answers say anything, sorted by exchange. Of very many, only the first ones. */
  readonly answers: readonly RejectedAnswer[];
}

/** Refusals for which the state of the organization is a part of the answer. */
const ABOUT_STATE = new Set([409, 412, 422, 428]);
/** The most characters that are kept. */
const ROOM = 4 * 1024 * 1024;

/** One rejection, and what its answer says, if it says anything. */
export interface Rejection {
  readonly operation: OperationId;
  readonly answer?: RejectedAnswer;
}

/** The rejection of a request that fails a receiver check; `undefined` for any other answer. */
export function rejectionOf({
  reply,
  sending,
  ordinary,
}: Pick<Answered, "reply" | "sending" | "ordinary">): Rejection | undefined {
  const { check, level, organization } = sending;
  if (ordinary === undefined || check === undefined || level === "OBSERVE") return undefined;
  if (reception(reply) !== "rejected" || ABOUT_STATE.has(reply.status)) return undefined;
  const said = saidBy(reply, sending);
  if (lengthOf(said) === 0) return { operation: ordinary };
  const { status, exchange } = reply;
  // The rule shows the values that the body discloses, so its beginning is left out.
  const { method, path, mutation } = toldOf(exchange);
  const claims = JSON.stringify(sending.tokenNote?.claims ?? {});
  const answer = {
    operation: ordinary,
    check,
    organization,
    exchange: exchange.id,
    method,
    path,
    mutation,
    status,
    ...said,
    mayView: check === "scope" && claims.includes("org:read"),
  };
  return { operation: ordinary, answer };
}

/** Records the answers that reject requests that fail a receiver check. */
export function createRejectedLog(observe: Observe): RejectedLog {
  const rejections: Rejection[] = [];
  let room = ROOM;
  observe((answered) => {
    const rejection = rejectionOf(answered);
    if (!rejection) return;
    room -= rejection.answer ? lengthOf(rejection.answer) : 0;
    rejections.push(room < 0 ? { operation: rejection.operation } : rejection);
  });
  return rejectedLog(rejections);
}

/** A log of these rejections, which may become more. */
export function rejectedLog(rejections: readonly Rejection[]): RejectedLog {
  let sorted: readonly RejectedAnswer[] = [];
  let read = 0;
  return {
    count: (wanted) => rejections.filter(({ operation }) => operation === wanted).length,
    get answers() {
      if (read < rejections.length) {
        const answers = rejections.flatMap(({ answer }) => answer ?? []);
        sorted = answers.toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1));
        read = rejections.length;
      }
      return sorted;
    },
  };
}

/** What an answer says. */
type Said = Pick<RejectedAnswer, "texts" | "longer" | "message">;

function lengthOf({ texts, longer, message }: Said): number {
  return [longer, message, ...texts].reduce((sum, one) => sum + one.length, 0);
}

function saidBy(reply: Reply, { spec, tokenNote }: OutgoingRequest): Said {
  const body = reply.json() ?? reply.body;
  const { message, ...beside } = isObject(body) ? body : { body };
  const rest = typeof message === "string" ? beside : body;
  const sent = [
    spec.path,
    spec.body ?? "",
    ...spec.headers.map(([, value]) => value),
    ...textsIn(tokenNote?.claims),
    ...textsIn(tokenNote?.header),
  ];
  const all = sent.join("\n");
  const texts = [...textsIn(rest)].filter((text) => !all.includes(text));
  // An answer may quote a part of the path or of the body.
  const inBody = spec.body === undefined ? [] : textsIn(parseJson(spec.body));
  const parts = [...sent, ...spec.path.split(/[/?&=;]/), ...inBody];
  const without = (text: string): string =>
    parts.filter(isLong).reduce((left, part) => left.replaceAll(part, " "), text);
  return {
    texts,
    longer: without(texts.filter(isLong).join("\n")),
    message: typeof message === "string" ? without(message) : "",
  };
}
