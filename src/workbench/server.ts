import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { createGate } from "./gate.ts";

const HOST = "127.0.0.1";
const CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'";

/** What is served at one path. */
export interface Route {
  readonly contentType: string;
  readonly body: string;
  /** Content security policy. Default: nothing may be loaded or run. */
  readonly policy?: string | undefined;
}

export interface Workbench {
  /** The link with the token, which works once. */
  readonly url: string;
  /** Closes the server and every connection. */
  close(): Promise<void>;
}

/**
 * Serves routes to one browser on this machine.
 * @param routes by their path below the secret folder; `""` is the first page
 * @param port 0 takes any free port
 * @throws the system's error when the port cannot be used
 */
export async function startWorkbench(
  routes: ReadonlyMap<string, Route>,
  port: number,
): Promise<Workbench> {
  const server = createServer();
  server.listen({ port, host: HOST });
  await once(server, "listening");
  const authority = `${HOST}:${(server.address() as AddressInfo).port}`;
  const gate = createGate(authority);

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const admission = gate.admit(request);
    if (admission.is === "refused") return answer(response, 403, text(admission.reason));
    const { url = "" } = request;
    if (admission.is === "signed in" || url === gate.entrance) {
      if (admission.is === "signed in") response.setHeader("set-cookie", admission.cookie);
      response.setHeader("location", gate.folder);
      return answer(response, 303, text("Signed in."));
    }
    const route = url.startsWith(gate.folder)
      ? routes.get(url.slice(gate.folder.length))
      : undefined;
    if (!route) return answer(response, 404, text("There is no such page."));
    if (request.method !== "GET") return answer(response, 405, text("This page is only read."));
    return answer(response, 200, route);
  });

  return {
    url: `http://${authority}${gate.entrance}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function text(body: string): Route {
  return { contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}

function answer(response: ServerResponse, status: number, route: Route): void {
  const { contentType, body, policy = CLOSED_POLICY } = route;
  response
    .writeHead(status, {
      "content-type": contentType,
      "content-security-policy": `${policy}; frame-ancestors 'none'`,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    })
    .end(body);
}
