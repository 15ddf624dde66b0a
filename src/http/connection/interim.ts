import type { Socket } from "node:net";

import type { buildConnector } from "undici";

/** The start of an interim response, RFC 9110 §15.2. After a 101 another protocol follows, so it is none. */
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d/;
const EXAMPLE = "HTTP/1.1 100";
const END_OF_HEAD = "\r\n\r\n";
/** A longer head is left to the client, which refuses it. */
const MOST_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Opens connections on which interim responses are passed over. A server may send them unasked, and undici, which reads
 * its connections by `read`, destroys one on which a 100 arrives.
 */
export function passingOverInterim(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, withoutInterim(socket));
    });
}

/** Changes how a connection is read. Nothing has been read from it so far. */
function withoutInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...sent: unknown[]) => boolean;
  let atHead = true;
  let held: Buffer = NOTHING;
  // No request is sent before the response to the one before it is complete.
  socket.write = (...sent: unknown[]) => {
    atHead = true;
    return write(...sent);
  };
  socket.read = (size?: number): Buffer | null => {
    const bytes = read(size);
    if (!atHead || bytes === null) return bytes;
    held = afterInterim(Buffer.concat([held, bytes]));
    if (mayBeInterim(held) && held.length <= MOST_BYTES) return null;
    const response = held;
    held = NOTHING;
    atHead = false;
    return response;
  };
  return socket;
}

/** What follows the complete interim responses at the start. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (mayBeInterim(rest)) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

/** Whether the bytes are an interim response, or may become one with those that follow. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, EXAMPLE.length);
  return INTERIM.test(start + EXAMPLE.slice(start.length));
}
