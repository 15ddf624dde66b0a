import { TIME_CLAIMS } from "../contract/claims.ts";
import type { Exchange } from "../http/exchange.ts";
import { type JsonObject, parseJson } from "../lib/json.ts";
import { seenFromNow } from "../lib/spans.ts";
import { counted } from "../lib/words.ts";
import type { Difference } from "../probe/difference/difference.ts";
import type { Row } from "./layout.ts";
import { differenceWords } from "./text/differences.ts";
import { printable } from "./untrusted.ts";

/** An exchange, and the accepted exchange that it is compared with, if there is one. */
export interface Pair {
  readonly control: Exchange | undefined;
  readonly probe: Exchange;
}

/** Headers in which the suite marks its requests. They always differ, and are no evidence. */
export const OWN_HEADERS: readonly string[] = ["user-agent", "conformance-case"];
/** Header that keeps caches from answering a read. The suite sends it for its own sake. */
export const UNCACHED = "cache-control";
/** The response headers that help to explain an answer or to tell which server gave it. */
const TELLING_HEADERS = [
  "content-type",
  "www-authenticate",
  "location",
  "retry-after",
  "allow",
  "server",
  "via",
];
/** A claim that is different in every token. */
const DRAWN = ["jti"];
const CLOCK_SECONDS = 5;
const BODY_LINES = 14;
/** The lines of its end. */
const END_LINES = 8;
const LINE_CHARACTERS = 300;
const UNIQUE = /conformance-[\da-f]{18}/g;

/** Method, path, headers and body, with the whole URL for another origin than the target's. */
export function requestRows({ control, probe }: Pair, origin: string): Row[] {
  const lines = [...(control?.request.headers ?? []), ...probe.request.headers];
  const names = new Set(lines.map(([name]) => name.toLowerCase()));
  for (const own of [...OWN_HEADERS, UNCACHED]) names.delete(own);
  return [
    row(firstLine(control, origin), firstLine(probe, origin)),
    ...[...names].map((name) => row(headerLines(control, name), headerLines(probe, name))),
    ...bodyRows(control?.request.body, probe.request.body),
  ];
}

/**
 * Header and claims of the two tokens, as far as they can be read.
 * @param differences the differences that the report states
 */
export function tokenRows(
  { control, probe }: Pair,
  part: "header" | "claim",
  differences: readonly Difference[],
): Row[] {
  const of = part === "claim" ? "claims" : "header";
  const [was, is] = [control?.request.token?.[of], probe.request.token?.[of]];
  if (was && (!is || !carriesToken(probe))) {
    const why = carriesToken(probe) ? "none that can be read" : "no token was sent";
    return [{ control: [Object.keys(was).join(", ")], probe: [why], differs: true }];
  }
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])];
  return names.map((name) => ({
    control: memberLine(was, name, control),
    probe: memberLine(is, name, probe),
    differs:
      was !== undefined &&
      (differences.some((one) => one.part === part && one.name === name) ||
        // Tokens are used for a while, so that their times differ without meaning anything.
        (!(differences.length > 0 && TIME_CLAIMS.includes(name)) &&
          unlike(was[name], is?.[name], name, { control, probe }))),
  }));
}

/** Whether the request carried a token. The record has a placeholder in its place. */
function carriesToken({ request: { url, headers, body = "" } }: Exchange): boolean {
  return [url, body, ...headers.map(([, value]) => value)].some((text) =>
    text.includes("[redacted"),
  );
}

const OF_BYTES: ReadonlySet<Difference["part"]> = new Set([
  "segments",
  "encoding",
  "text",
  "signature",
]);

/** The bytes in which the token that was sent differs from the one that was signed. */
export function byteRows({ control }: Pair, differences: readonly Difference[]): Row[] {
  return differences
    .filter(({ part }) => OF_BYTES.has(part))
    .map(differenceWords)
    .map(({ where, control: was = "as signed", probe }) => ({
      control: control && [`${where}: ${was}`],
      probe: [`${where}: ${probe}`],
      differs: true,
    }));
}

export function responseRows({ control, probe }: Pair): Row[] {
  const names = TELLING_HEADERS.filter((name) =>
    [control, probe].some((exchange) => answerHeader(exchange, name) !== undefined),
  );
  return [
    row(control && [statusLine(control)], [statusLine(probe)]),
    ...names.map((name) => row(answerHeader(control, name), answerHeader(probe, name))),
    ...bodyRows(control?.response?.body, probe.response?.body),
  ];
}

function answerHeader(exchange: Exchange | undefined, name: string): string[] | undefined {
  const value = exchange?.response?.headers[name];
  return value === undefined ? undefined : [`${name}: ${printable(value, LINE_CHARACTERS)}`];
}

export function statusLine({ response, fault, durationMs }: Exchange): string {
  return response
    ? `${response.status} after ${durationMs} ms`
    : `no answer, ${fault?.kind}: ${printable(fault?.message ?? "", LINE_CHARACTERS)}`;
}

function row(control: string[] | undefined, probe: string[] | undefined): Row {
  return { control, probe, differs: comparable(control) !== comparable(probe) };
}

/** The lines without values that are different in every request. */
function comparable(lines: string[] | undefined): string {
  return JSON.stringify(lines ?? null)
    .replaceAll(UNIQUE, "")
    .replaceAll(/ after \d+ ms/g, "");
}

function firstLine(exchange: Exchange | undefined, origin: string): string[] | undefined {
  if (!exchange) return undefined;
  const { method, url } = exchange.request;
  return [printable(`${method} ${url.startsWith(`${origin}/`) ? url.slice(origin.length) : url}`)];
}

function headerLines(exchange: Exchange | undefined, name: string): string[] | undefined {
  const lines = (exchange?.request.headers ?? [])
    .filter(([one]) => one.toLowerCase() === name)
    .map(([one, value]) => printable(`${one}: ${value}`, LINE_CHARACTERS));
  return lines.length > 0 ? lines : undefined;
}

function bodyRows(control: string | undefined, probe: string | undefined): Row[] {
  return control || probe ? [row(bodyLines(control), bodyLines(probe))] : [];
}

/** Beginning and end of a body; JSON is shown with one member a line. What pages say of themselves often stands at the end. */
function bodyLines(body: string | undefined): string[] | undefined {
  if (!body) return undefined;
  const json = parseJson(body);
  const whole = typeof json === "object" ? JSON.stringify(json, null, 1) : body;
  const lines = whole.split("\n").map((line) => printable(line, LINE_CHARACTERS));
  const left = lines.length - BODY_LINES - END_LINES;
  // What is not shown is more than the line that says so.
  return left < 2
    ? lines
    : [
        ...lines.slice(0, BODY_LINES),
        `… ${counted(left, "more line")}`,
        ...lines.slice(-END_LINES),
      ];
}

function memberLine(
  object: JsonObject | undefined,
  name: string,
  exchange: Exchange | undefined,
): string[] | undefined {
  const value = object?.[name];
  if (value === undefined) return undefined;
  const when = TIME_CLAIMS.includes(name) ? offset(value, exchange) : undefined;
  const text = `${name}: ${JSON.stringify(value)}`;
  return [printable(text, LINE_CHARACTERS) + (when === undefined ? "" : ` (${seenFromNow(when)})`)];
}

function offset(value: unknown, exchange: Exchange | undefined): number | undefined {
  if (typeof value !== "number" || !exchange) return undefined;
  return value - Date.parse(exchange.startedAt) / 1000;
}

/**
 * Compares a member of two tokens. Times are compared relative to the request, because two tokens are never
 * minted at the same moment.
 */
function unlike(was: unknown, is: unknown, name: string, { control, probe }: Pair): boolean {
  if (DRAWN.includes(name) && was !== undefined && is !== undefined) return false;
  const [before, now] = [offset(was, control), offset(is, probe)];
  if (TIME_CLAIMS.includes(name) && before !== undefined && now !== undefined) {
    return Math.abs(before - now) > CLOCK_SECONDS;
  }
  return JSON.stringify(was) !== JSON.stringify(is);
}
