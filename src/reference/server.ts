import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";

import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { encode, errorBody, finish } from "./answers.ts";
import { BASE_PATH, DOCUMENT_PATH } from "./document.ts";
import type { Answer, Call, Receiver, UnmatchedRequest, WireAnswer } from "./model.ts";
import { Refusal } from "./refusal.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the six routes. */
    call: Call | undefined;
    /** Set where no route was found. */
    unmatched: UnmatchedRequest | undefined;
  }
}

/** Whoever is told what a server answers, except to input that is not HTTP, which no step of a receiver answers. */
export interface Recorder {
  /** Adds hooks, which run before those of the routes. */
  prepare(app: FastifyInstance): void;
  /** Called before an error of the framework or of a step is answered. */
  failed(request: FastifyRequest, error: unknown): void;
  /** Called before an answer is sent. */
  answered(request: FastifyRequest, answer: WireAnswer): void;
}

/**
 * A fastify server that answers the offered operations with the receiver's steps.
 * @param receiver called for each request, because the base URL is known only once the server listens
 * @param recorder default: none
 */
export function createServer(receiver: () => Receiver, recorder?: Recorder): FastifyInstance {
  const app = fastify({
    forceCloseConnections: true,
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, receiver()),
    rewriteUrl: ({ url = "/" }) => receiver().steps.resolveUrl(url),
    frameworkErrors: (error, request, reply) => void sendError(request, reply, error),
  });
  app.server.on("checkExpectation", (_request, response) => {
    const refusal = new Refusal(417, "The expectation cannot be met.");
    const { status, headers, payload } = unrouted(refusal, receiver());
    response.writeHead(status, { ...headers, connection: "close" }).end(payload);
  });
  app.decorateRequest("call", undefined);
  app.decorateRequest("unmatched", undefined);
  recorder?.prepare(app);
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser(
    "application/merge-patch+json",
    { parseAs: "string" },
    app.getDefaultJsonParser("error", "error"),
  );

  for (const id of receiver().steps.offered()) {
    const { method, path } = OPERATIONS[id];
    app.route({
      method,
      url: BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ":$1"),
      // Before the body is parsed, because callers without permission must not choose what is parsed.
      onRequest: async (request) => {
        request.call = newCall(receiver(), id, request);
        const { steps } = receiver();
        for (const check of steps.checks(request.call)) await steps[check](request.call);
      },
      handler: (request, reply) => {
        const call = request.call as Call;
        call.body = request.body;
        return send(request, reply, receiver().steps[id](call));
      },
    });
  }

  app.get(BASE_PATH + DOCUMENT_PATH, (request, reply) =>
    send(request, reply, { status: 200, body: receiver().steps.document(receiver()) }),
  );

  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const allow = path.startsWith(BASE_PATH) ? methodsOf(path.slice(BASE_PATH.length)) : [];
    const { method, originalUrl: url, headers, body } = request;
    request.unmatched = { method, url, allow, headers, body };
    return send(request, reply, receiver().steps.unknownRoute(request.unmatched, receiver()));
  });
  return app;

  function methodsOf(path: string): string[] {
    const taking = receiver()
      .steps.offered()
      .map((id) => OPERATIONS[id]);
    return taking.filter((route) => matches(route.path, path)).map((route) => route.method);
  }

  function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    recorder?.failed(request, error);
    return send(request, reply, receiver().steps.errorAnswer(error, receiver()));
  }

  function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
    const { steps } = receiver();
    const encoded = steps.encode(steps.finish(answer, receiver(), request.call));
    recorder?.answered(request, encoded);
    const { status, headers, payload } = encoded;
    // Node would add its own `Date`.
    reply.raw.sendDate = false;
    return reply.code(status).headers(headers).send(payload);
  }
}

/** Whether `path` matches a template such as `/orgs/{orgId}`. */
function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
}

function newCall(receiver: Receiver, operation: OperationId, request: FastifyRequest): Call {
  const params = request.params as Readonly<Record<string, string>>;
  return {
    receiver,
    operation,
    authorization: request.raw.headersDistinct["authorization"] ?? [],
    orgId: params["orgId"],
    changeId: params["changeId"],
    query: request.query as Readonly<Record<string, unknown>>,
    method: request.method,
    url: request.originalUrl,
    headers: request.headers,
    connection: request.raw.socket,
    body: undefined,
    token: undefined,
    header: {},
    claims: {},
    organization: undefined,
  };
}

/** The answer to a request that never reaches a route, as the receiver's own steps would not change it. */
function unrouted(refusal: Refusal, receiver: Receiver): WireAnswer {
  return encode(finish({ status: refusal.status, body: errorBody(refusal) }, receiver));
}

/** Answers input that Node cannot parse as HTTP, for which there is no fastify request. */
function refuseUnparsed(
  error: Error & { code?: string },
  socket: Socket,
  receiver: Receiver,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const {
    status,
    headers,
    payload = "",
  } = unrouted(
    error.code === "HPE_HEADER_OVERFLOW"
      ? new Refusal(431, "The request header is too large.")
      : new Refusal(400, "The request is not valid HTTP."),
    receiver,
  );
  const lines = Object.entries({
    ...headers,
    "content-length": Buffer.byteLength(payload),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${String(payload)}`,
  );
}
