import type { Socket } from "node:net";

import type { buildConnector } from "undici";

import type { HttpRequest } from "../exchange.ts";

/** Characters that no HTTP client sends in a field value, RFC 9110 §5.5. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0\r\n]/;

/** Fields that an HTTP client sets itself. */
const OF_THE_CLIENT = new Set(["expect", "content-length"]);

/** Whether an HTTP client would refuse to send the headers of a request. */
export function needsRawSocket(headers: HttpRequest["headers"]): boolean {
  return headers.some(
    ([name, value]) => FORBIDDEN.test(value) || OF_THE_CLIENT.has(name.toLowerCase()),
  );
}

/**
 * Opens connections for one request, which is sent with its header values unchanged in place of what the client writes.
 * @param connect opens the connection
 */
export function sendingRaw(
  connect: buildConnector.connector,
  origin: string,
  { method, path, headers, body = "" }: HttpRequest,
): buildConnector.connector {
  const { host } = new URL(origin);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...[["host", host], ...headers, ["connection", "close"]].map((line) => line.join(": ")),
    ...(body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const bytes = Buffer.concat([head, Buffer.from(body)]);
  return (options, callback) =>
    connect(options, (...opened) => {
      const [, socket] = opened;
      if (socket) writeOnly(bytes, socket);
      callback(...opened);
    });
}

/** Lets a socket write these bytes in place of the first ones that it is given, and nothing else. */
function writeOnly(bytes: Buffer, socket: Socket): void {
  const write = socket.write.bind(socket);
  let isSent = false;
  socket.write = () => {
    if (isSent) return true;
    isSent = true;
    return write(bytes);
  };
}
