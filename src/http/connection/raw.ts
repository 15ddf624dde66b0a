import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { addAbortSignal, Duplex } from "node:stream";

import type { buildConnector } from "undici";

import type { HttpRequest } from "../exchange.ts";

/** Characters that no HTTP client sends in a field value, RFC 9110 §5.5. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0\r\n]/;

/** Whether a request needs a raw socket because an HTTP client would refuse to send its headers. */
export function needsRawSocket(headers: HttpRequest["headers"]): boolean {
  return headers.some(([, value]) => FORBIDDEN.test(value));
}

/** The head of a response, and a stream of its body. */
export interface RawAnswer {
  readonly statusCode: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: IncomingMessage;
}

/**
 * Sends a request on its own connection with its header values unchanged, and closes the connection
 * after the response.
 * @param connect opens the connection
 * @throws errors of the connection, TLS or the response parser, and on `signal`
 */
export async function sendRaw(
  connect: buildConnector.connector,
  origin: string,
  { method, path, headers, body = "" }: HttpRequest,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const url = new URL(origin);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...[["host", url.host], ...headers, ["connection", "close"]].map((line) => line.join(": ")),
    ...(body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  const socket = await opened(connect, url, signal);
  addAbortSignal(signal, socket);
  socket.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  socket.write(body);
  const reader = httpRequest({ method, createConnection: () => readOnly(socket) });
  // The body stream reports errors after the head. One may come at once: more bytes than the head announced.
  reader.on("error", () => {});
  reader.end();
  const [answer] = (await once(reader, "response")) as [IncomingMessage];
  answer.once("close", () => socket.destroy());
  return { statusCode: answer.statusCode ?? 0, headers: answer.headers, body: answer };
}

/** Wraps a connection for Node's parser of responses. What the client writes is dropped. */
function readOnly(socket: Socket): Duplex {
  const reading = new Duplex({
    read: () => void socket.resume(),
    write: (_chunk, _encoding, done) => done(),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (chunk) => {
    if (!reading.push(chunk)) socket.pause();
  });
  socket.on("end", () => reading.push(null));
  socket.on("error", (error) => reading.destroy(error));
  return reading;
}

function opened(
  connect: buildConnector.connector,
  { protocol, host, hostname, port }: URL,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    connect(
      { protocol, host, hostname: hostname.replaceAll(/[[\]]/g, ""), port },
      (error, socket) => {
        if (error) reject(error);
        else if (signal.aborted) socket.destroy();
        else resolve(socket);
      },
    );
  });
}
