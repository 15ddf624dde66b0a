import { isUnclearStatus } from "../../http/statuses.ts";
import type { ServerAnswer, ServerRequest } from "./origins.ts";

/** Where an authorization request led, following the server's own redirects without a login. */
export type Destination =
  | {
      readonly kind: "redirected";
      /** With the names of the parameters in query and fragment, and without their values, such as a code. */
      readonly to: string;
      /** The complete URL. Must never be shown. */
      readonly url: URL;
      readonly exchange: string;
    }
  | {
      readonly kind: "page";
      readonly path: string;
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      readonly exchange: string;
    }
  | {
      /** A page on another origin, such as a login or an error page, to which the suite sends nothing. */
      readonly kind: "elsewhere";
      readonly path: string;
      readonly why: string;
      readonly exchange: string;
    }
  | { readonly kind: "unclear"; readonly why: string; readonly exchange: string };

const MOST_REDIRECTS = 8;
/** A path segment that varies between requests. */
const SESSION_SEGMENT = /[\w-]{12,}/g;

/**
 * Follows an authorization request as a browser without a session does: through the server's own
 * pages, and to no other host.
 * @param send sends one request
 * @param isEnd whether a URL is the destination that the caller watches for
 */
export async function followAuthorization(
  send: (request: ServerRequest) => Promise<ServerAnswer>,
  start: string,
  isEnd: (url: URL) => boolean,
): Promise<Destination> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let redirects = 0; ; redirects++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await send({
      method: "GET",
      url: url.href,
      headers: [
        ["accept", "text/html, */*;q=0.5"],
        ...(cookie ? [["cookie", cookie] as const] : []),
      ],
    });
    const { id: exchange } = answer.reply.exchange;
    keep(cookies, answer);
    if (isUnclearStatus(answer.status)) return unclear(answer);
    const next = leadsTo(answer, url);
    if (next && isEnd(next)) {
      return { kind: "redirected", to: withoutValues(next), url: next, exchange };
    }
    if (!next || answer.status >= 400) {
      return pageAt(url, answer);
    }
    if (next.origin !== url.origin) {
      const why = `it leads to ${next.origin}`;
      // Only the suite's own changes name hosts in `.invalid`.
      return next.hostname.endsWith(".invalid")
        ? { kind: "unclear", why, exchange }
        : { kind: "elsewhere", path: pathOf(next), why, exchange };
    }
    if (redirects === MOST_REDIRECTS)
      return { kind: "unclear", why: "it redirects too many times", exchange };
    url = next;
  }
}

/** Whether the server refused an authorization request by an error page. */
export function isErrorPage(led: Destination): led is Extract<Destination, { kind: "page" }> {
  return led.kind === "page" && led.status >= 400;
}

/** The destination of a request that ended with an answer of another endpoint. */
export function pageOf(answer: ServerAnswer): Destination {
  return isUnclearStatus(answer.status)
    ? unclear(answer)
    : pageAt(new URL(answer.reply.exchange.request.url), answer);
}

function unclear({ status, reply }: ServerAnswer): Destination {
  return { kind: "unclear", why: `the status ${status}`, exchange: reply.exchange.id };
}

function pageAt(url: URL, { status, headers, reply }: ServerAnswer): Destination {
  return { kind: "page", path: pathOf(url), status, headers, exchange: reply.exchange.id };
}

/** Whether two URLs are equal apart from query and fragment. */
export function isSamePlace(one: URL, other: URL): boolean {
  return (["protocol", "host", "pathname"] as const).every((part) => one[part] === other[part]);
}

function withoutValues({ origin, protocol, pathname, search, hash }: URL): string {
  const place = origin === "null" ? protocol : origin + pathname;
  return place + namesIn(search) + namesIn(hash);
}

function namesIn(part: string): string {
  return part.includes("=")
    ? part.replaceAll(/[^?#&=]*=[^&]*/g, nameAlone)
    : part && `${part.charAt(0)}…`;
}

function nameAlone(parameter: string): string {
  return `${parameter.slice(0, parameter.indexOf("="))}=…`;
}

function pathOf({ origin, pathname }: URL): string {
  return origin + pathname.replaceAll(SESSION_SEGMENT, "*");
}

/** The URL that an answer leads a browser to: `Location`, a refresh by header or element, or a form that submits itself. */
function leadsTo({ status, headers, body }: ServerAnswer, from: URL): URL | undefined {
  const element = /<meta\b[^>]*http-equiv=["']?refresh\b[^>]*>/i.exec(body)?.[0];
  const content = element === undefined ? headers["refresh"] : unescaped(element);
  const refresh = /url\s*=\s*["']?([^"'>\s]+)/i.exec(content ?? "")?.[1];
  const posted = /\.submit\(\)/.test(body)
    ? /<form[^>]+action=["']([^"']+)/i.exec(body)?.[1]
    : undefined;
  const to =
    status >= 300 && status < 400
      ? headers["location"]
      : (refresh ?? (posted && unescaped(posted)));
  return to !== undefined && URL.canParse(to, from.href) ? new URL(to, from) : undefined;
}

/** Text of an HTML attribute, without the escapes that URLs need there. */
function unescaped(text: string): string {
  return text.replaceAll(/&(?:amp|#0*(\d{1,3})|#x0*([\da-f]{1,2}));/gi, (_all, decimal, hex) =>
    decimal === undefined && hex === undefined
      ? "&"
      : String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
  );
}

function keep(cookies: Map<string, string>, { headers }: ServerAnswer): void {
  // Fields of one name are joined by commas. A new cookie begins where a comma is followed by a name.
  for (const line of (headers["set-cookie"] ?? "").split(/,\s*(?=[^;,=\s]+=)/)) {
    const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) cookies.set(name, value);
  }
}
