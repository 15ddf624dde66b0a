import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as after } from "node:timers/promises";

import type { FastifyRequest } from "fastify";

import type { Call, UnmatchedRequest, WireAnswer } from "./model.ts";
import { Refusal } from "./refusal.ts";
import type { Recorder } from "./server.ts";

/** What the server says of a request to a route. */
export type Asked = Pick<
  Call,
  "operation" | "authorization" | "orgId" | "changeId" | "query" | "method" | "url" | "headers"
>;

/** One request that a receiver answered, as data: enough to answer it again without a connection. */
export interface Arrival {
  /** The `Conformance-Case` of the request; absent where it is not marked. */
  readonly caseId: string | undefined;
  /** When it was answered, in whole seconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** The request target before and after `resolveUrl`. */
  readonly target: string;
  readonly resolved: string;
  /** Which connection brought it, counted from 0. */
  readonly connection: number;
  /** The header fields as they were sent. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** What a route was asked; absent where no route was found. */
  readonly asked: Asked | undefined;
  /** What no route was found for. */
  readonly unmatched: UnmatchedRequest | undefined;
  /** The body as it was sent. */
  readonly text: string;
  /** The parsed body, where the checks let the request pass. */
  readonly body: unknown;
  /** Why the server could not read the path or the body, where it tried. */
  readonly unread?: Unread;
  readonly answer: Pick<WireAnswer, "status" | "payload">;
}

/** An error of the framework. */
interface Unread {
  readonly statusCode: number;
  readonly code: string | undefined;
  readonly message: string;
}

/** How long a body is waited for, in milliseconds: a `Content-Length` may promise more than comes. */
const BODY_MS = 500;
const EMPTY = Buffer.alloc(0);

/** A recorder that lists the arrivals so far, in the order in which they were answered. */
export function recordArrivals(): Recorder & { arrivals(): readonly Arrival[] } {
  const connections = new Map<unknown, number>();
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  const unread = new WeakMap<FastifyRequest, Unread>();
  const answered: (Pick<Arrival, "at" | "answer"> & { readonly request: FastifyRequest })[] = [];

  return {
    prepare(app) {
      app.addHook("onRequest", async (request) => {
        const { socket } = request.raw;
        connections.set(socket, connections.get(socket) ?? connections.size);
        bodies.set(request, await Promise.race([buffer(request.raw), after(BODY_MS, EMPTY)]));
      });
      app.addHook("preParsing", async (request) => Readable.from([bodies.get(request) ?? EMPTY]));
    },
    failed(request, error) {
      const { statusCode, code, message } = error as Partial<Unread>;
      if (!(error instanceof Refusal) && statusCode !== undefined)
        unread.set(request, { statusCode, code, message: message ?? "" });
    },
    answered(request, { status, payload }) {
      const at = Math.floor(Date.now() / 1000);
      answered.push({ request, at, answer: { status, payload } });
    },
    arrivals: () => answered.map(arrivalOf),
  };

  function arrivalOf({ request, at, answer }: (typeof answered)[number]): Arrival {
    const { call, originalUrl, unmatched, headers, body } = request;
    const marked = headers["conformance-case"];
    const failure = unread.get(request);
    return {
      caseId: typeof marked === "string" ? marked : undefined,
      at,
      method: request.method,
      target: originalUrl,
      resolved: request.url,
      connection: connections.get(request.raw.socket) ?? 0,
      fields: fieldsOf(request.raw.rawHeaders),
      asked: call && askedOf(call),
      unmatched,
      text: (bodies.get(request) ?? EMPTY).toString(),
      body,
      ...(failure && { unread: failure }),
      answer,
    };
  }
}

/** Names and values, which Node lists in turn. */
function fieldsOf(raw: readonly string[]): Arrival["fields"] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
}

function askedOf(call: Call): Asked {
  const { operation, authorization, orgId, changeId, query, method, url, headers } = call;
  // The query of fastify has no prototype, which a clone would give it.
  return { operation, authorization, orgId, changeId, query: { ...query }, method, url, headers };
}
