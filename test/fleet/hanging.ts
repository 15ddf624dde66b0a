import { createServer } from "node:http";

import { listen } from "../support/listening.ts";

/** A receiver that accepts every connection, and never answers a request. */
export interface HangingReceiver {
  readonly baseUrl: string;
  /** Resolves at the first request since the last reset. */
  asked(): Promise<void>;
  forget(): void;
  /** Resolves when the last connection has closed. */
  deserted(): Promise<void>;
  close(): Promise<void>;
}

export async function startHanging(): Promise<HangingReceiver> {
  let requests = 0;
  const waiting = new Set<() => void>();
  const sockets = new Set<object>();
  const leaving = new Set<() => void>();
  const server = createServer(() => {
    requests += 1;
    for (const heard of waiting) heard();
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const heard of leaving) heard();
    });
  });
  return {
    baseUrl: `${await listen(server)}/base`,
    asked: () => (requests > 0 ? Promise.resolve() : new Promise((heard) => waiting.add(heard))),
    forget() {
      requests = 0;
      waiting.clear();
    },
    deserted: () =>
      sockets.size === 0 ? Promise.resolve() : new Promise((heard) => leaving.add(heard)),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
