import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

import { onTestFinished } from "vitest";

/** The open connections of each server that listens. */
const connections = new WeakMap<Server, Set<Socket>>();

/** Lets a server listen on a free port of this machine, and returns its origin. */
export async function listen(server: Server): Promise<string> {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes a server, and its connections, whoever keeps them open. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  for (const socket of connections.get(server) ?? []) socket.destroy();
  await closed;
}

/** The origin of a server that listens until the test has ended. */
export async function listening(server: Server): Promise<string> {
  const origin = await listen(server);
  onTestFinished(() => close(server));
  return origin;
}
