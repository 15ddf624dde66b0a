import type { Socket } from "node:net";

import type { buildConnector } from "undici";

/** How long a connection waits for its request. Servers wait longer before they close it. */
const WAITS_MS = 2000;

/** Connections that are opened ahead of their requests. */
export interface Ahead {
  /** Hands out a connection: one that was opened ahead if there is one, otherwise a new one. */
  readonly connect: buildConnector.connector;
  /** Closes the connections that nobody has asked for. */
  close(): void;
}

/**
 * Opens the next connection whenever one is handed out, so that a request does not wait for a new connection if another one
 * needed a new connection shortly before. A connection that fails, that the server closes, or that nobody asks for in time
 * is dropped.
 * @param connect opens a connection
 * @param mayOpen whether a connection may be opened ahead; asked each time
 */
export function connectAhead(connect: buildConnector.connector, mayOpen: () => boolean): Ahead {
  const waiting = new Map<Socket, string>();
  let closed = false;

  function open(options: buildConnector.Options): void {
    connect(options, (error, socket) => {
      // Whoever needs the connection opens it again, and sees why it fails.
      if (error) return;
      if (closed) {
        socket.destroy();
        return;
      }
      waiting.set(socket, routeOf(options));
      const timer = setTimeout(() => {
        if (waiting.delete(socket)) socket.destroy();
      }, WAITS_MS);
      timer.unref();
      socket.once("close", () => {
        clearTimeout(timer);
        waiting.delete(socket);
      });
    });
  }

  return {
    connect(options, callback) {
      const route = routeOf(options);
      const [ready] =
        [...waiting].find(([socket, its]) => its === route && socket.readable && socket.writable) ??
        [];
      if (ready) {
        waiting.delete(ready);
        queueMicrotask(() => callback(null, ready));
      } else {
        connect(options, callback);
      }
      if (mayOpen()) open(options);
    },
    close() {
      closed = true;
      for (const socket of waiting.keys()) socket.destroy();
    },
  };
}

/** Where a connection leads; over TLS also by which name of the server. */
function routeOf({ protocol, hostname, port, servername }: buildConnector.Options): string {
  return JSON.stringify([protocol, hostname, port, servername]);
}
