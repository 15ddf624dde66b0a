import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { addAbortSignal, Duplex } from "node:stream";

import type { HttpRequest } from "../exchange.ts";
import type { Origin } from "../origin.ts";
import { lookupFor } from "./addresses.ts";
import { tls, tlsOptions } from "./tls.ts";

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
 * after the response. Connects directly to the target's origin, because no proxy would forward such a
 * request.
 * @throws errors of the connection, TLS or the response parser, and on `signal`
 */
export async function sendRaw(
  target: Origin,
  { method, path, headers, body = "" }: HttpRequest,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const { host, hostname, port, protocol } = new URL(target.origin);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...[["host", host], ...headers, ["connection", "close"]].map((line) => line.join(": ")),
    ...(body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  const socket = open(target, hostname.replaceAll(/[[\]]/g, ""), protocol === "https:", port);
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

/**
 * Wraps a connection so that Node's HTTP client can parse the response. What the client writes is
 * dropped.
 */
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

function open(target: Origin, host: string, secure: boolean, port: string): Socket {
  const lookup = lookupFor(target);
  if (!secure) return connect({ host, port: Number(port || 80), ...(lookup && { lookup }) });
  return tls().connect({
    host,
    port: Number(port || 443),
    ALPNProtocols: ["http/1.1"],
    ...(isIP(host) === 0 && { servername: host }),
    ...tlsOptions(target.request),
    ...(lookup && { lookup }),
  });
}
