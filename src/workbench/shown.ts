import type { Exchange } from "../http/exchange.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { printable } from "../report/untrusted.ts";
import type { Answer, HeaderLines, Shown } from "./api.ts";

/** In UTF-16 units. */
const LONGEST_LINE = 16_384;
const LONGEST_BODY = 64 * 1024;
const LONGEST_VALUE = 4096;

/**
 * A recorded exchange for the page.
 * @param origin of the target, which the path is shown without
 */
export function shownExchange(exchange: Exchange, origin: string): Shown {
  const { request, startedAt } = exchange;
  const { method, url, headers, body, token } = request;
  const { header, claims } = token ?? {};
  return {
    method: printable(method),
    path: printable(pathOf(url, origin), LONGEST_LINE),
    headers: shownLines(headers),
    ...(body !== undefined && { body: shownBody(body) }),
    ...((header ?? claims) && {
      token: {
        ...(header && { header: printableObject(header) }),
        ...(claims && { claims: printableObject(claims) }),
      },
    }),
    answer: answerOf(exchange),
    startedAt: printable(startedAt, 40),
  };
}

function answerOf({ response, fault, durationMs: ms }: Exchange): Answer {
  if (!response) {
    const { kind, message } = fault ?? { kind: "reset", message: "" };
    const because = printable(message === "" ? kind : `${kind}: ${message}`);
    return { is: "none", because, ms };
  }
  const { status, headers, body, truncated } = response;
  const lines = shownLines(Object.entries(headers));
  return { is: "response", status, headers: lines, body: shownBody(body), truncated, ms };
}

/** Path and query of a recorded URL, byte for byte: a parser would change it. A URL of another origin stays whole. */
export function pathOf(url: string, origin: string): string {
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}

/** An object whose texts and member names are all printable. */
export function printableObject(object: JsonObject): JsonObject {
  return printableMembers(object) as JsonObject;
}

function printableMembers(value: unknown): unknown {
  if (typeof value === "string") return printable(value, LONGEST_VALUE);
  if (Array.isArray(value)) return value.map(printableMembers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [printable(name), printableMembers(member)]),
  );
}

function shownLines(lines: HeaderLines): HeaderLines {
  return lines.map(([name, value]) => [printable(name), printable(value, LONGEST_VALUE)] as const);
}

/** A body as lines, each printable. */
export function shownBody(body: string): string {
  const lines = body.slice(0, LONGEST_BODY).split(/\r\n|\n/);
  return lines.map((line) => printable(line, LONGEST_LINE)).join("\n");
}
