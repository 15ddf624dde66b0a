import { createServer, type Socket } from "node:net";

import { onTestFinished } from "vitest";

import type { SendContext } from "../../src/http/attempts.ts";
import { createHttpClient, type HttpClient, type HttpOptions } from "../../src/http/client.ts";
import type { Exchange, HttpRequest, Reply } from "../../src/http/exchange.ts";
import type { Target } from "../../src/profile/target.ts";
import { close, listen } from "../support/listening.ts";
import { referenceTarget } from "../support/target.ts";

/** One request as it came over the wire. */
export interface Heard {
  /** Counted over all connections, from 1. */
  readonly number: number;
  /** Of the connection, counted from 1. */
  readonly connection: number;
  readonly head: string;
  readonly body: string;
}

/** A server on loopback that reads and writes single bytes. */
export interface Wire {
  readonly origin: string;
  readonly heard: readonly Heard[];
  readonly connections: number;
  /** Connections that are open. */
  readonly open: number;
  /** Ends one connection, counted from 1. */
  drop(connection: number): void;
  /** Stops listening and ends every connection. */
  stop(): Promise<void>;
}

/** Listens until the test has ended; every request is answered by `answer`, in latin1. */
export async function wire(answer: (socket: Socket, heard: Heard) => void): Promise<Wire> {
  const heard: Heard[] = [];
  const sockets = new Map<number, Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    sockets.set(connection, socket);
    socket.setDefaultEncoding("latin1");
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(connection));
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
        const head = received.slice(0, end);
        const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
        if (received.length < end + 4 + length) return;
        const body = received.slice(end + 4, end + 4 + length);
        received = received.slice(end + 4 + length);
        const one = { number: heard.length + 1, connection, head, body };
        heard.push(one);
        answer(socket, one);
      }
    });
  });
  const origin = await listen(server);
  const stop = (): Promise<void> => close(server);
  onTestFinished(stop);
  return {
    origin,
    heard,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    drop(connection) {
      sockets.get(connection)?.end();
    },
    stop,
  };
}

/** A response with its length. */
export function response(status: number, body = "", ...lines: readonly string[]): string {
  const length = Buffer.byteLength(body, "latin1");
  return [`HTTP/1.1 ${status} Said`, `Content-Length: ${length}`, ...lines, "", body].join("\r\n");
}

export const OK: string = response(200, "{}");

export interface Sender {
  readonly http: HttpClient;
  readonly exchanges: readonly Exchange[];
  /** Sends a GET, or what the spec says. */
  readonly send: (spec?: Partial<HttpRequest>, context?: Partial<SendContext>) => Promise<Reply>;
}

export interface SenderOptions extends Partial<HttpOptions> {
  readonly timeoutMs?: number;
  readonly maxRequestsPerSecond?: number;
  readonly profile?: Record<string, unknown>;
  /** Options that no profile has. */
  readonly change?: (target: Target) => Target;
}

/** A client of the wire, closed when the test has ended. */
export function sender(origin: string, options: SenderOptions = {}): Sender {
  const { timeoutMs = 60_000, maxRequestsPerSecond, profile = {}, change, ...more } = options;
  const { request, ...others } = profile;
  const target = referenceTarget({
    baseUrl: `${origin}/base`,
    ...others,
    request: {
      timeoutMs,
      ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
      ...(request as object | undefined),
    },
  });
  const exchanges: Exchange[] = [];
  const http = createHttpClient(change?.(target) ?? target, {
    onExchange: (exchange) => exchanges.push(exchange),
    ...more,
  });
  onTestFinished(() => http.close());
  return {
    http,
    exchanges,
    send: (spec = {}, context = {}) =>
      http.send(
        { method: "GET", path: "/base/orgs", headers: [], ...spec },
        { caseId: "rule.id/case", ...context },
      ),
  };
}

/** A wire, and a client of it. A text is written in answer to every request. */
export async function talking(
  options: SenderOptions,
  answer: string | Parameters<typeof wire>[0],
): Promise<Sender & { readonly server: Wire }> {
  const server = await wire(typeof answer === "string" ? (socket) => socket.write(answer) : answer);
  return { server, ...sender(server.origin, options) };
}
