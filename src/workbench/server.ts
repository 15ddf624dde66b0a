import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { SuiteError } from "../lib/errors.ts";
import { printable } from "../report/untrusted.ts";
import type { Problem, WorkbenchEvent } from "./api.ts";
import { createGate } from "./gate.ts";
import type { Page } from "./page.ts";
import { bodyOf, Refusal } from "./received.ts";

const HOST = "127.0.0.1";
const CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'";
/** A browser has one for each tab. */
const MOST_STREAMS = 16;

/** What is sent to an endpoint. */
export interface Asked {
  readonly query: URLSearchParams;
  /** The JSON of a POST. */
  readonly body: unknown;
}

/**
 * Answers the requests to one path with JSON.
 * @throws Refusal with the status and the problem
 */
export type Endpoint = (asked: Asked) => unknown;

/** What the workbench serves. */
export interface Served {
  /** By path below the secret folder; `""` is the first page. */
  readonly pages: ReadonlyMap<string, Page>;
  /** By method and path below the secret folder: `GET api/state`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The path of the stream of events. Default: there is none. */
  readonly events?: string | undefined;
}

export interface Workbench {
  /** The link with the token, which works once. */
  readonly url: string;
  /** Sends an event to every page that listens. */
  tell(event: WorkbenchEvent): void;
  /** Closes the server and every connection. */
  close(): Promise<void>;
}

/** What is answered. */
interface Answer {
  readonly contentType: string;
  readonly body: string;
  /** Content security policy. Default: nothing may be loaded or run. */
  readonly policy?: string | undefined;
}

/**
 * Serves a page and its API to one browser on this machine.
 * @param port 0 takes any free port
 * @throws the system's error when the port cannot be used
 */
export async function startWorkbench(served: Served, port: number): Promise<Workbench> {
  const { pages, endpoints } = served;
  const server = createServer();
  server.listen({ port, host: HOST });
  await once(server, "listening");
  const authority = `${HOST}:${(server.address() as AddressInfo).port}`;
  const gate = createGate(authority);
  const streams = new Set<ServerResponse>();

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const admission = gate.admit(request);
    if (admission.is === "refused") return answer(response, 403, text(admission.reason));
    const { url = "", method = "" } = request;
    if (admission.is === "signed in" || url === gate.entrance) {
      if (admission.is === "signed in") response.setHeader("set-cookie", admission.cookie);
      response.setHeader("location", gate.folder);
      return answer(response, 303, text("Signed in."));
    }
    if (!url.startsWith(gate.folder)) return answer(response, 404, NO_PAGE);
    const [path = "", ...rest] = url.slice(gate.folder.length).split("?");
    const page = pages.get(path);
    if (page) {
      if (method !== "GET") return answer(response, 405, text("This page is only read."));
      return answer(response, 200, { ...page, contentType: "text/html; charset=utf-8" });
    }
    if (method === "GET" && path === served.events) return stream(response);
    const endpoint = endpoints.get(`${method} ${path}`);
    if (!endpoint) return answer(response, 404, NO_PAGE);
    return void reply(endpoint, new URLSearchParams(rest.join("?")), request, response);
  });

  function stream(response: ServerResponse): void {
    if (streams.size >= MOST_STREAMS) {
      return answer(response, 429, json({ problem: "Too many pages listen. Close some." }));
    }
    streams.add(response);
    response.on("close", () => streams.delete(response));
    response.writeHead(200, headersOf({ contentType: "text/event-stream" }));
    response.write(framed({ type: "hello" }));
  }

  return {
    url: `http://${authority}${gate.entrance}`,
    tell(event) {
      for (const response of streams) response.write(framed(event));
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function reply(
  endpoint: Endpoint,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = request.method === "GET" ? undefined : await bodyOf(request);
    answer(response, 200, json(await endpoint({ query, body })));
  } catch (error) {
    const { status, shown } = refusalOf(error);
    // What was not read of a body would be taken for the next request.
    response.setHeader("connection", "close");
    answer(response, status, json(shown));
  }
}

function refusalOf(error: unknown): Pick<Refusal, "status" | "shown"> {
  if (error instanceof Refusal) return error;
  if (error instanceof SuiteError) {
    const { message, hint } = error;
    return new Refusal(400, message, hint);
  }
  return new Refusal(500, `This is a fault of the suite: ${printable(String(error), 500)}`);
}

function framed(event: WorkbenchEvent): string {
  // JSON has no line breaks, which would end the event.
  return `data: ${JSON.stringify(event)}\n\n`;
}

function json(value: unknown): Answer {
  return { contentType: "application/json", body: `${JSON.stringify(value)}\n` };
}

function text(body: string): Answer {
  return { contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}

const NO_PAGE = json({ problem: "There is no such page." } satisfies Problem);

function headersOf({
  contentType,
  policy = CLOSED_POLICY,
}: Pick<Answer, "contentType" | "policy">): Record<string, string> {
  return {
    "content-type": contentType,
    "content-security-policy": `${policy}; frame-ancestors 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}

function answer(response: ServerResponse, status: number, { body, ...rest }: Answer): void {
  response.writeHead(status, headersOf(rest)).end(body);
}
