import { once } from "node:events";
import { type IncomingMessage, request as send } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";

import type { Arrival, Asked } from "./arrivals.ts";
import { reject } from "./checks.ts";
import type { Answer, Call, Check, Receiver, WireAnswer } from "./model.ts";
import { type ReferenceOptions, unservedReceiver } from "./receiver.ts";
import { Refusal } from "./refusal.ts";
import { createServer } from "./server.ts";

/**
 * A receiver without a server, for recorded requests in the order in which they were answered.
 * @returns the answer to the next request; `undefined` where it rests on what the receiver fetches, and where it cannot be sent to a
 * server and only that could find its route
 */
export type AnswersAgain = (arrival: Arrival) => Promise<WireAnswer | undefined>;

/** What check 1 of the conforming receiver says of each token, which most receivers share. */
export type Verified = Map<string, Promise<Said>>;

type Said = Pick<Call, "header" | "claims"> | { readonly refused: string };

/**
 * Answers requests with a receiver's steps, as the server does, without a connection and at the time at which they arrived. Where
 * the receiver takes a request's path for another than the recording one, a server answers that request.
 * @param options the other receiver's keys, faults and variants
 * @param baseUrl the base URL of the receiver that recorded them
 * @param verified filled and read; shared by receivers with the same keys
 * @throws SuiteError for an unknown fault or variant, or an unreadable JWKS
 */
export async function answersAgain(
  options: Pick<ReferenceOptions, "jwks" | "faults" | "variants">,
  baseUrl: string,
  verified: Verified,
): Promise<AnswersAgain> {
  let at = 0;
  let fetches = 0;
  const receiver = await unservedReceiver(options, baseUrl, {
    fetch: () => {
      fetches += 1;
      throw new TypeError("what it would fetch is not recorded");
    },
    now: () => () => at,
    verifySignature: (original) => remembered(original, verified),
  });
  const sockets = new Map<number, Socket>();
  return async (arrival) => {
    at = arrival.at;
    const before = fetches;
    const isElsewhere = receiver.steps.resolveUrl(arrival.target) !== arrival.resolved;
    const answer = await (isElsewhere ? served(receiver, arrival) : unserved(receiver, arrival));
    return fetches === before ? answer : undefined;
  };

  async function unserved({ steps }: Receiver, arrival: Arrival): Promise<WireAnswer> {
    const { asked, connection } = arrival;
    const socket = sockets.get(connection) ?? unconnected();
    sockets.set(connection, socket);
    const call = asked && newCall(asked, receiver, socket);
    try {
      const good = call ? await answerCall(call, arrival) : withoutRoute(arrival, receiver);
      return steps.encode(steps.finish(good, receiver, call));
    } catch (error) {
      return steps.encode(steps.finish(steps.errorAnswer(error, receiver), receiver, call));
    }
  }
}

/** The fields of a request that its connection sets, and those of an answer that a server adds. */
const OF_CONNECTION =
  /^(?:connection|content-length|date|expect|keep-alive|transfer-encoding|upgrade)$/i;

/** What a server answers that is started for one request. */
async function served(receiver: Receiver, arrival: Arrival): Promise<WireAnswer | undefined> {
  const app = createServer(() => receiver);
  try {
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const { method, target: path } = arrival;
    const headers = arrival.fields.filter(([name]) => !OF_CONNECTION.test(name)).flat();
    const sent = send({ host: "127.0.0.1", port, method, path, headers }).end(arrival.text);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const own = Object.entries(answer.headers).filter(([name]) => !OF_CONNECTION.test(name));
    return {
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
      payload: await buffer(answer),
    };
  } catch {
    return undefined;
  } finally {
    await app.close();
  }
}

/** A connection that leads nowhere. */
function unconnected(): Socket {
  const socket = new Socket();
  // Who writes to it is told that it is closed.
  socket.on("error", () => {});
  return socket;
}

function newCall(asked: Asked, receiver: Receiver, connection: Socket): Call {
  return {
    ...asked,
    receiver,
    connection,
    body: undefined,
    token: undefined,
    header: {},
    claims: {},
    organization: undefined,
  };
}

async function answerCall(call: Call, arrival: Arrival): Promise<Answer> {
  const { steps } = call.receiver;
  for (const check of steps.checks(call)) await steps[check](call);
  call.body = bodyOf(call, arrival);
  return steps[call.operation](call);
}

/** The body as the server would parse it. A body that the recording receiver never read is JSON or is refused. */
function bodyOf({ headers, method }: Call, { body, text, unread }: Arrival): unknown {
  if (unread) throw failure(unread);
  if (body !== undefined || method === "GET" || method === "HEAD") return body;
  const type = headers["content-type"];
  if (text === "" && type === undefined) return undefined;
  if (!/^application\/(?:merge-patch\+)?json\b/i.test(String(type)))
    throw unreadable(415, "INVALID_MEDIA_TYPE", "Unsupported Media Type");
  if (text === "") throw unreadable(400, "EMPTY_JSON_BODY", "Body cannot be empty");
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(400, "INVALID_JSON_BODY", "Body is not valid JSON");
  }
}

/** The answer to a path or method that no route takes. A path that the server cannot read is refused. */
function withoutRoute({ answer, unmatched, unread }: Arrival, receiver: Receiver): Answer {
  if (unmatched) return receiver.steps.unknownRoute(unmatched, receiver);
  throw unread ? failure(unread) : new Refusal(answer.status, "There is no such route.");
}

/** An error of the framework about a body. */
function unreadable(statusCode: number, code: string, message: string): Error {
  return failure({ statusCode, code: `FST_ERR_CTP_${code}`, message });
}

/** The error of the framework that the recording receiver answered. */
function failure({ message, ...rest }: NonNullable<Arrival["unread"]>): Error {
  return Object.assign(new Error(message), rest);
}

/** A check 1 that verifies each token once. */
function remembered(original: Check, verified: Verified): Check {
  return async (call) => {
    const token = call.token ?? "";
    const known = verified.get(token) ?? verify(original, call);
    verified.set(token, known);
    const found = await known;
    if ("refused" in found) throw reject(call, "verifySignature", found.refused);
    call.header = { ...found.header };
    call.claims = { ...found.claims };
  };
}

async function verify(original: Check, call: Call): Promise<Said> {
  const copy = { ...call };
  try {
    await original(copy);
    return { header: copy.header, claims: copy.claims };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}
