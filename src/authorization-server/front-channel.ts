import type { ServerAnswer } from "./origins.ts";
import type { ServerProbe } from "./probe.ts";

/** Where an authorization request led whoever followed the server's own redirects, signed in nowhere. */
export type Led =
  | {
      readonly kind: "redirected";
      /** Without query and fragment, which may hold a code. */
      readonly to: string;
      /** As it is; never to be shown. */
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
  | { readonly kind: "unclear"; readonly why: string; readonly exchange: string };

const MOST_REDIRECTS = 8;
/** A part of a path that differs from request to request. */
const SESSION_SEGMENT = /[\w-]{12,}/g;

/**
 * Follows an authorization request as a browser without a session would, through pages of the server
 * itself, and to no other host.
 * @param isEnd whether a URL is the one that the request must not, or may, lead to
 */
export async function followAuthorization(
  probe: ServerProbe,
  start: string,
  isEnd: (url: URL) => boolean,
): Promise<Led> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let redirects = 0; ; redirects++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await probe.send({
      method: "GET",
      url: url.href,
      headers: [
        ["accept", "text/html, */*;q=0.5"],
        ...(cookie ? [["cookie", cookie] as const] : []),
      ],
    });
    const { id: exchange } = answer.reply.exchange;
    keep(cookies, answer);
    if (answer.status === 0 || answer.status === 429 || answer.status > 500) {
      return { kind: "unclear", why: `the status ${answer.status}`, exchange };
    }
    const next = leadsTo(answer, url);
    if (next && isEnd(next)) {
      const to = next.host === "" ? next.protocol : next.origin + next.pathname;
      return { kind: "redirected", to, url: next, exchange };
    }
    if (!next || answer.status >= 400) {
      const path = url.origin + url.pathname.replaceAll(SESSION_SEGMENT, "*");
      const { status, headers } = answer;
      return { kind: "page", path, status, headers, exchange };
    }
    if (next.origin !== url.origin) {
      return { kind: "unclear", why: `it leads to ${next.origin}`, exchange };
    }
    if (redirects === MOST_REDIRECTS)
      return { kind: "unclear", why: "it redirects on and on", exchange };
    url = next;
  }
}

/** Where an answer sends a browser, by `Location`, a refreshing page, or a form that sends itself. */
function leadsTo({ status, headers, body }: ServerAnswer, from: URL): URL | undefined {
  const { location } = headers;
  const refresh = /<meta[^>]+http-equiv=["']?refresh["']?[^>]*url=([^"'>\s]+)/i.exec(body)?.[1];
  const posted = /\.submit\(\)/.test(body)
    ? /<form[^>]+action=["']([^"']+)/i.exec(body)?.[1]
    : undefined;
  const to = status >= 300 && status < 400 ? location : (refresh ?? posted);
  return to !== undefined && URL.canParse(to, from.href) ? new URL(to, from) : undefined;
}

function keep(cookies: Map<string, string>, { headers }: ServerAnswer): void {
  // Fields of one name are joined; a comma is followed by a name where a new cookie begins.
  for (const line of (headers["set-cookie"] ?? "").split(/,\s*(?=[^;,=\s]+=)/)) {
    const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) cookies.set(name, value);
  }
}
