import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { isLoopbackHost } from "../lib/loopback.ts";

/** Longer than any deployment takes to ask for something while it looks at a token. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Of more requests to one place nobody needs to know. */
const MOST_HITS = 100;

/** A place on the suite's own server that nobody has been told of. */
export interface Callback {
  /** Without a trailing slash; what is below it belongs to it. */
  readonly url: string;
  /**
   * Method and path of each request that has arrived there, which may become more. Of a path at which
   * there is nothing it says only that: whoever asks may put into it what must not be shown.
   */
  readonly hits: readonly string[];
}

/** What is to be had at a path. */
export interface Served {
  readonly contentType: string;
  readonly body: string;
}

/** The suite's own server, which notices when a deployment follows a URL that it was sent. */
export interface Listener {
  /**
   * A new place to send somebody to; the first one starts the server.
   * @returns why no deployment could get there, where that is known
   */
  open(): Promise<Callback | { readonly unreachable: string }>;
  /** Ends every connection; does nothing where no place was ever asked for. */
  close(): Promise<void>;
}

type Started =
  | { readonly server: Server; readonly base: string }
  | { readonly unreachable: string };

/**
 * A listener that does not listen yet.
 * @param address the profile's `request.callback`, an http URL under which deployments reach this
 *   machine. Port 0 is any free one. On a loopback host it listens there alone, else on all interfaces.
 * @param serve what is to be had at a path below the place with that URL; 404 where `undefined`
 */
export function createListener(
  address: string | undefined,
  serve: (path: string, url: string) => Served | undefined,
): Listener {
  const places = new Map<string, { readonly url: string; readonly hits: string[] }>();
  let started: Promise<Started> | undefined;

  /** The place that a request target lies at or below, and the way on from there. */
  function locate(target: string): { place: string; path: string } | undefined {
    const segments = target.split(/[?#]/, 1)[0]?.split("/") ?? [];
    const at = segments.findIndex((segment) => places.has(segment));
    if (at < 0) return undefined;
    // RFC 8414 §3.1 puts the well-known path before that of the issuer.
    const own = segments[1] === ".well-known" ? segments.slice(1, 3) : segments.slice(at + 1);
    return { place: segments[at] ?? "", path: `/${own.join("/")}` };
  }

  async function start(): Promise<Started> {
    if (address === undefined) {
      return { unreachable: "the profile names no request.callback where it could be reached" };
    }
    const url = new URL(address);
    if (url.protocol !== "http:") {
      return { unreachable: `request.callback is ${address}, but the suite itself speaks http` };
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
        unreachable: `the suite cannot listen on port ${port}: ${(error as Error).message}`,
      };
    }
    // A run that ends in an error must not be kept alive by it.
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
