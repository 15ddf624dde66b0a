import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

import { onTestFinished } from "vitest";

/** Lets a server listen on a free port of this machine, and returns its origin. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes a server with all its connections. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  if ("closeAllConnections" in server) (server as HttpServer).closeAllConnections();
  await closed;
}

/** The origin of a server that listens until the test has ended. */
export async function listening(server: Server): Promise<string> {
  const origin = await listen(server);
  onTestFinished(() => close(server));
  return origin;
}
