import type { Entry, Har, Header, Page, QueryString } from "har-format";

import type { Exchange, TokenNote } from "../http/exchange.ts";
import { groupBy } from "../lib/group-by.ts";
import type { Report, Reporter } from "./report.ts";

/** An entry with further members that begin with `_`, as section 2.2 of HAR 1.2 requires. */
interface ExchangeEntry extends Entry {
  readonly pageref: string;
  /** The exchange's id, as evidence in `report.json` refers to it. */
  readonly _id: string;
  readonly _case: string;
  readonly _token?: TokenNote;
  /** Why there is no response. */
  readonly _error?: string;
}

/**
 * The exchanges of the report as HAR 1.2, for network viewers: one page for each rule, entries in the order
 * in which they were sent. Redacted and cut as they were recorded. Only the total duration of an exchange
 * is known; it is in `wait`.
 */
export const har: Reporter = {
  file: "report.har",
  render(report) {
    const entries = Object.values(report.exchanges)
      .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
      .map(entryOf);
    const archive: Har = {
      log: {
        version: "1.2",
        creator: { name: report.suite.name, version: report.suite.version },
        pages: pagesOf(report, entries),
        entries,
        comment: report.verdictText,
      },
    };
    return `${JSON.stringify(archive, null, 1)}\n`;
  },
};

function pagesOf({ rules }: Report, entries: readonly ExchangeEntry[]): Page[] {
  const titles = new Map(rules.map(({ id, title }) => [id, title]));
  return [...groupBy(entries, ({ pageref }) => pageref)].map(([id, [{ startedDateTime }]]) => ({
    id,
    title: titles.get(id) ?? id,
    startedDateTime,
    pageTimings: {},
  }));
}

function entryOf(exchange: Exchange): ExchangeEntry {
  const { request, durationMs, fault } = exchange;
  const url = asUri(request.url);
  return {
    // Its rule, or the name of the set-up step.
    pageref: exchange.caseId.split("/", 1)[0] ?? "",
    startedDateTime: exchange.startedAt,
    time: durationMs,
    request: {
      method: request.method,
      url,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: headerList(request.headers),
      queryString: queryOf(url),
      ...(request.body !== undefined && {
        postData: { mimeType: fieldOf(request.headers, "content-type"), text: request.body },
      }),
      headersSize: -1,
      bodySize: Buffer.byteLength(request.body ?? ""),
    },
    response: responseOf(exchange),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: durationMs, receive: 0 },
    _id: exchange.id,
    _case: exchange.caseId,
    ...(request.token && { _token: request.token }),
    ...(fault && { _error: `${fault.kind}: ${fault.message}` }),
  };
}

function responseOf({ response, fault }: Exchange): Entry["response"] {
  const fields = Object.entries(response?.headers ?? {});
  const body = response?.body ?? "";
  const size = Buffer.byteLength(body);
  return {
    status: response?.status ?? fault?.status ?? 0,
    statusText: "",
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headerList(fields),
    content: {
      size,
      mimeType: fieldOf(fields, "content-type"),
      text: body,
      ...(response?.truncated && { comment: "cut: the beginning of what was received" }),
    },
    redirectURL: fieldOf(fields, "location"),
    headersSize: -1,
    bodySize: response && !response.truncated ? size : -1,
  };
}

function headerList(fields: readonly (readonly [string, string])[]): Header[] {
  return fields.map(([name, value]) => ({ name, value }));
}

function fieldOf(fields: readonly (readonly [string, string])[], wanted: string): string {
  return fields.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";
}

/** A URL in valid syntax: bytes that a URI must not contain are encoded. */
function asUri(url: string): string {
  const [origin = ""] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
  const path = url
    .slice(origin.length)
    .replaceAll(/%(?![\dA-Fa-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%]+/g, percentEncoded);
  return origin + path;
}

function percentEncoded(text: string): string {
  const bytes = [...Buffer.from(text, "utf8")];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function queryOf(url: string): QueryString[] {
  const query = url.split("?").slice(1).join("?");
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
}
