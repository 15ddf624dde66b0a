import { clockOffsetSeconds } from "../../http/date-offset.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { answerOf } from "../../probe/reception.ts";
import type { AuthorizationServer } from "../../profile/authorization-server.ts";
import type { Origins, ServerAnswer } from "./origins.ts";

/** The metadata of an authorization server, RFC 8414 section 2. It is not validated. */
export type Metadata = Readonly<Record<string, unknown>>;

export interface MetadataDocument {
  readonly url: string;
  readonly metadata: Metadata;
  readonly headers: ServerAnswer["headers"];
  /** How many seconds the server's `Date` is ahead of this machine's clock; `undefined` where it sends none. */
  readonly clockOffsetSeconds: number | undefined;
  readonly exchange: string;
}

/** The endpoints for the flows. Those of the profile take precedence. */
export interface Endpoints {
  readonly authorization?: string | undefined;
  readonly token?: string | undefined;
  readonly jwks?: string | undefined;
  /** Where an authorization request can be pushed, RFC 9126 section 5. */
  readonly pushedRequest?: string | undefined;
  /** Whether every authorization request has to be pushed. */
  readonly mustPush: boolean;
  /** Every document that was found. The first one is used. */
  readonly documents: readonly MetadataDocument[];
  /** The answers of the URLs that have no document: a status or a fault. */
  readonly missed: readonly { readonly url: string; readonly answer: string }[];
}

/**
 * The URLs where an issuer's metadata may be: RFC 8414 section 3.1 inserts the well-known path before
 * the issuer's path, OpenID Connect Discovery section 4 appends its own, and some servers append RFC
 * 8414's. Ignores a trailing slash of the issuer.
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
 * Finds the endpoints of a server. Where the profile names a metadata URL, it requests only that one.
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
    if (answer.status === 200 && isObject(metadata) && isMetadata(metadata)) {
      documents.push({
        url,
        metadata,
        headers: answer.headers,
        clockOffsetSeconds: clockOffsetSeconds(answer.reply),
        exchange: answer.reply.exchange.id,
      });
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
    pushedRequest: named("pushed_authorization_request_endpoint"),
    mustPush: first?.metadata["require_pushed_authorization_requests"] === true,
    documents,
    missed,
  };
}

/** Why an endpoint is unknown that neither the profile nor the metadata names by a URL, as the end of a sentence. */
export function whyUnknown({ documents: [first] }: Endpoints, member: string): string {
  return first?.metadata[member] === undefined
    ? `its metadata names no ${member}, nor does the profile`
    : `the ${member} of its metadata is not a complete http or https URL, and the profile names none`;
}

/**
 * Whether an object is metadata, however incomplete. Some servers answer every unknown path by 200 and an
 * object of another kind.
 */
function isMetadata(object: Metadata): boolean {
  return ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"].some(
    (name) => name in object,
  );
}

const MOST_REDIRECTS = 3;

/**
 * Reads a public document. Follows at most three redirects, because publishing behind a redirect is
 * no fault.
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

export function inShort({ status, reply }: Pick<ServerAnswer, "status" | "reply">): string {
  const { fault } = reply.exchange;
  if (fault) return `no answer (${fault.kind})`;
  const { retryAfter } = answerOf(reply);
  return `the status ${status}${retryAfter === undefined ? "" : `, Retry-After: ${retryAfter}`}`;
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
