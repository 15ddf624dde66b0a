import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { systemReason } from "../lib/system-error.ts";
import { isLoopbackHost } from "../lib/uri.ts";

/** No deployment takes this long to fetch something while it checks a token. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Further requests to one place are not counted. */
const MOST_HITS = 100;

/** A secret URL on the suite's own server. */
export interface Callback {
  /** Without a trailing slash. Every path below it belongs to it. */
  readonly url: string;
  /**
   * Method and path of each request that arrived there so far. A path at which nothing is served is
   * shown as "something else", because the client chose it and it may hold a secret.
   */
  readonly hits: readonly string[];
}

export interface Served {
  readonly contentType: string;
  readonly body: string;
}

/** The suite's own server. It notices when a deployment follows a URL from a token. */
export interface Listener {
  /** Creates a callback, and the server for the first; or says why no deployment can reach it. */
  open(): Promise<Callback | { readonly unreachable: string }>;
  /** Closes the server and every connection. Does nothing where no callback was opened. */
  close(): Promise<void>;
}

type Started =
  | { readonly server: Server; readonly base: string }
  | { readonly unreachable: string };

/**
 * Creates a listener that has not started to listen.
 * @param address the profile's `request.callback`, an http URL at which deployments reach this
 * machine. Port 0 takes any free port. On a loopback host it listens there only, otherwise on all
 * interfaces.
 * @param serve the content at a path below the callback with that URL; `undefined` means 404
 */
export function createListener(
  address: string | undefined,
  serve: (path: string, url: string) => Served | undefined,
): Listener {
  const places = new Map<string, { readonly url: string; readonly hits: string[] }>();
  let started: Promise<Started> | undefined;

  /** The callback that a request target belongs to, and the path within it. */
  function locate(target: string): { place: string; path: string } | undefined {
    const segments = target.split(/[?#]/, 1)[0]?.split("/") ?? [];
    const at = segments.findIndex((segment) => places.has(segment));
    if (at < 0) return undefined;
    // RFC 8414 §3.1 puts the well-known path before the issuer's path.
    const own = segments[1] === ".well-known" ? segments.slice(1, 3) : segments.slice(at + 1);
    return { place: segments[at] ?? "", path: `/${own.join("/")}` };
  }

  async function start(): Promise<Started> {
    if (address === undefined) {
      return {
        unreachable: "the profile has no `request.callback` at which the deployment could reach it",
      };
    }
    const url = new URL(address);
    if (url.protocol !== "http:") {
      return {
        unreachable: `\`request.callback\` is ${address}, but the suite itself speaks http`,
      };
    }
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      const found = locate(request.url ?? "");
      const place = places.get(found?.place ?? "");
      const served = found && place && serve(found.path, place.url);
      if (place && place.hits.length < MOST_HITS) {
        place.hits.push(`${request.method} ${served ? found.path : "something else"}`);
      }
      response.setHeader("connection", "close");
      response.setHeader("content-type", served?.contentType ?? "text/plain");
      response.writeHead(served ? 200 : 404).end(served?.body);
    });
    const port = Number(url.port || 80);
    const host = isLoopbackHost(url.hostname) ? url.hostname.replace(/^\[|\]$/g, "") : undefined;
    try {
      server.listen({ port, host });
      await once(server, "listening");
    } catch (error) {
      return {
        unreachable: `the suite cannot listen on port ${port}: ${systemReason(error)}`,
      };
    }
    // The server must not keep a failed run alive.
    server.unref();
    url.port = String((server.address() as AddressInfo).port);
    return { server, base: url.href.replace(/\/+$/, "") };
  }

  return {
    async open() {
      started ??= start();
      const result = await started;
      if ("unreachable" in result) return result;
      const id = randomBytes(9).toString("hex");
      const place = { url: `${result.base}/${id}`, hits: [] };
      places.set(id, place);
      return place;
    },
    async close() {
      const result = await started;
      if (!result || "unreachable" in result) return;
      const closed = once(result.server, "close");
      result.server.close();
      result.server.closeAllConnections();
      await closed;
    },
  };
}
