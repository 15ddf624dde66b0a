import { isObject } from "../lib/json.ts";
import { parseJson } from "../lib/json.ts";
import type { AuthorizationServer } from "../profile/authorization-server.ts";
import type { Origins, ServerAnswer } from "./origins.ts";

/** What an authorization server publishes of itself, RFC 8414 section 2; nothing of it is checked. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A document of metadata, and where it was. */
export interface MetadataDocument {
  readonly url: string;
  readonly metadata: Metadata;
  /** Id of the exchange. */
  readonly exchange: string;
}

/** The endpoints that flows need; those that the profile names come first. */
export interface Endpoints {
  readonly authorization?: string | undefined;
  readonly token?: string | undefined;
  readonly jwks?: string | undefined;
  /** Every document that was found; the first one is used. */
  readonly documents: readonly MetadataDocument[];
  /** What came back from each place without one: its URL, and a status or a fault. */
  readonly missed: readonly { readonly url: string; readonly answer: string }[];
}

/**
 * Where an issuer's metadata may be: RFC 8414 section 3.1 inserts the well-known path before that of the
 * issuer, OpenID Connect Discovery section 4 appends its own, and some servers append RFC 8414's.
 * A slash at the end of the issuer is left out.
 */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, "");
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
      `${origin}${path}/.well-known/oauth-authorization-server`,
    ]),
  ];
}

/**
 * Finds the endpoints of a server. Where the profile names a metadata URL, only that is asked.
 * @throws Interrupted
 */
export async function discover(server: AuthorizationServer, origins: Origins): Promise<Endpoints> {
  const urls =
    server.metadataUrl === undefined ? metadataUrls(server.issuer) : [server.metadataUrl];
  const documents: MetadataDocument[] = [];
  const missed: { url: string; answer: string }[] = [];
  for (const url of urls) {
    const answer = await getFollowing(origins, "authorization-server/metadata", url);
    const metadata = parseJson(answer.body);
    if (answer.status === 200 && isObject(metadata)) {
      documents.push({ url, metadata, exchange: answer.reply.exchange.id });
    } else {
      missed.push({ url, answer: inShort(answer) });
    }
  }
  const [first] = documents;
  const named = (member: string): string | undefined => {
    const value = first?.metadata[member];
    return typeof value === "string" && isHttpUrl(value) ? value : undefined;
  };
  return {
    authorization: server.authorizationUrl ?? named("authorization_endpoint"),
    token: server.tokenUrl ?? named("token_endpoint"),
    jwks: server.jwksUrl ?? named("jwks_uri"),
    documents,
    missed,
  };
}

const MOST_REDIRECTS = 3;

/**
 * Reads a public document. Redirects are followed, a few, because publishing behind one is no fault.
 * @throws Interrupted
 */
export async function getFollowing(
  origins: Origins,
  name: string,
  url: string,
): Promise<ServerAnswer> {
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const answer = await origins.send(name, { method: "GET", url: at });
    const { location } = answer.headers;
    const next = location !== undefined && URL.canParse(location, at) && new URL(location, at).href;
    const redirected = answer.status >= 301 && answer.status <= 308;
    if (!redirected || !next || !isHttpUrl(next) || redirects === MOST_REDIRECTS) return answer;
    at = next;
  }
}

/** What came back, in a few words. */
export function inShort({ status, reply }: Pick<ServerAnswer, "status" | "reply">): string {
  const { fault } = reply.exchange;
  return fault ? `no answer (${fault.kind})` : `the status ${status}`;
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
