import type { HttpRequest } from "../../http/exchange.ts";
import type { Facts } from "../../profile/facts.ts";
import {
  each,
  type InvalidMutation,
  type Mutation,
  open,
  type Refused,
  withHeaders,
} from "../mutation.ts";
import { inTurn, respelled } from "../request/separators.ts";
import { withMembers } from "./signature.ts";

/** Tokens that are not sent as one header `Authorization: Bearer <token>`. */

const refused = {
  check: "signature",
  why: "the token is sent in the Authorization header with the Bearer scheme",
  source: "contract, Endpoints; RFC 6750 §2.1",
} as const;

/** The requirement for a good token sent in a way that the contract does not describe. */
const requirement = "authentication.bearer-header";

function presented(name: string, what: string, value: (token: string) => string): InvalidMutation {
  return {
    refused: { ...refused, requirement },
    name,
    what,
    authorization: (token) => [value(token)],
  };
}

/** Credentials of RFC 7617 section 2. */
function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** A good token under a scheme other than Bearer. */
export const otherSchemes: readonly InvalidMutation[] = [
  presented("token-scheme", "the scheme is Token instead of Bearer", (token) => `Token ${token}`),
  presented("jwt-scheme", "the scheme is JWT instead of Bearer", (token) => `JWT ${token}`),
  presented(
    "dpop-scheme",
    "the scheme is DPoP instead of Bearer, without a proof",
    (token) => `DPoP ${token}`,
  ),
  presented("no-scheme", "the header is the token alone, without a scheme", (token) => token),
];

/** A good token under further schemes, for reads alone: each refused write takes room from the few that a run may make. */
export const furtherSchemes: readonly InvalidMutation[] = [
  presented(
    "digest-scheme",
    "the scheme is Digest, which is as long as Bearer",
    (token) => `Digest ${token}`,
  ),
  presented(
    "longer-scheme",
    "the scheme is BearerToken, which begins like Bearer",
    (token) => `BearerToken ${token}`,
  ),
  presented(
    "prefixed-scheme",
    "the scheme is XBearer, which ends like Bearer",
    (token) => `XBearer ${token}`,
  ),
  presented("basic-password", "the scheme is Basic, and the token is its password", (token) =>
    basic(`conformance:${token}`),
  ),
  presented("basic-user", "the scheme is Basic, and the token is its user name", (token) =>
    basic(`${token}:`),
  ),
];

/** Authorization headers without a token, or with something that cannot be one. */
export const emptyCredentials: readonly InvalidMutation[] = [
  presented("bearer-alone", "the header is the word `Bearer`", () => "Bearer"),
  presented("bearer-space", "the header is the word `Bearer` and a space", () => "Bearer "),
  presented("empty-header", "the Authorization header is empty", () => ""),
  presented("not-ascii", "the token has a byte that is not ASCII", () => "Bearer konf\u00F6rm"),
  {
    name: "both-bad",
    what: "two Authorization headers, each with a word that is not a JWT",
    refused: { ...refused, why: "neither word is a token" },
    authorization: () => ["Bearer conformance", "Bearer conformant"],
  },
];

/**
 * A header value that HTTP itself forbids (RFC 9110 §5.5) and no HTTP client sends. How a receiver
 * rejects it is only advice. `malformed` already shows that the word is not a token.
 */
export const nulInToken: InvalidMutation = {
  ...presented(
    "nul",
    "the token is the word `conformance` and a NUL",
    () => "Bearer conformance\0",
  ),
  level: "SHOULD",
};

/** No Authorization header, but other headers in its place. */
function elsewhere(
  name: string,
  what: string,
  headers: (token: string, subject: string) => Readonly<Record<string, string>>,
  more: Partial<Refused> = {},
): InvalidMutation {
  return {
    name,
    what: `no Authorization header, ${what}`,
    refused: { ...refused, ...more },
    authorization: () => [],
    request: (spec, { target }, token) => withHeaders(spec, target, headers(token, target.subject)),
  };
}

/** Headers in which clients or gateways send a token in place of Authorization. */
const TOKEN_HEADERS = [
  "x-access-token",
  "x-auth-token",
  "x-forwarded-access-token",
  "x-id-token",
  "x-api-key",
];
/** Headers by which gateways name the user to services. */
const USER_HEADERS = [
  "x-forwarded-user",
  "x-remote-user",
  "remote-user",
  "x-user",
  "x-user-id",
  "x-auth-request-user",
  "x-authenticated-userid",
  "x-forwarded-preferred-username",
];
/** Headers by which gateways tell services the claims of the token. */
const CLAIMS_HEADERS = ["x-jwt-payload", "x-jwt-claims", "x-userinfo", "x-endpoint-api-userinfo"];

/** The request with all of these headers, as a client may forge them beside its token. */
export function naming(
  spec: HttpRequest,
  facts: Facts,
  token: string,
  subject: string,
): HttpRequest {
  const claims = withMembers(payloadOf(token), { sub: subject });
  return withHeaders(spec, facts, {
    ...each(USER_HEADERS, subject),
    ...each(CLAIMS_HEADERS, claims),
  });
}

function payloadOf(token: string): string {
  return token.split(".")[1] ?? "";
}

const skipped =
  "every route requires a bearer access token; a header of the framework's own, which any client can send, is none";
/** Headers of requests that frameworks and services send to themselves. */
const INTERNAL_HEADERS = [
  "x-isr",
  "x-middleware-next",
  "x-middleware-prefetch",
  "x-middleware-invoke",
  "x-prerender-revalidate",
  "x-nextjs-data",
  "x-invoke-path",
  "x-internal-request",
];
/** The names of a middleware file that versions of Next.js look for, as often as they want them. */
const SUBREQUEST = [
  ...["middleware", "src/middleware"].flatMap((name) => Array<string>(5).fill(name)),
  "pages/_middleware",
].join(":");

/** Headers by which gateways identify a user to services, and which direct clients can forge. */
export const otherHeaders: readonly InvalidMutation[] = [
  elsewhere(
    "x-authorization",
    "the token in X-Authorization",
    (token) => ({ "x-authorization": `Bearer ${token}` }),
    { requirement },
  ),
  elsewhere(
    "proxy-authorization",
    "the token in `Proxy-Authorization`",
    (token) => ({ "proxy-authorization": `Bearer ${token}` }),
    { requirement },
  ),
  elsewhere(
    "token-headers",
    "the token in X-Access-Token and similar headers",
    (token) => each(TOKEN_HEADERS, token),
    { requirement },
  ),
  elsewhere(
    "identity-headers",
    "the subject in X-Forwarded-User and similar headers",
    (_token, subject) => each(USER_HEADERS, subject),
  ),
  elsewhere("claims-headers", "the token's claims in X-JWT-Payload and similar headers", (token) =>
    each(CLAIMS_HEADERS, payloadOf(token)),
  ),
  elsewhere(
    "internal-address",
    "X-Forwarded-For says that the request comes from the internal network",
    () => each(["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip"], "127.0.0.1"),
  ),
  elsewhere(
    "middleware-subrequest",
    "X-Middleware-Subrequest says that the middleware, which checks tokens, has run",
    () => ({ "x-middleware-subrequest": SUBREQUEST }),
    { why: skipped, source: "contract, Endpoints; CVE-2025-29927" },
  ),
  elsewhere(
    "middleware-internal",
    "X-ISR and similar headers say that the framework asks itself",
    () => ({ ...each(INTERNAL_HEADERS, "1"), "x-internal": "true", "x-vinext-mw-ctx": "{}" }),
    { why: skipped, source: "contract, Endpoints; opennextjs/opennextjs-aws#808" },
  ),
];

/** Headers of identity by what they say, for requests that have those of a group side by side. */
const GROUPS: Readonly<Record<string, readonly [what: string, ...names: string[]]>> = {
  identity: [
    "X-Forwarded-User and similar headers name the subject, and others say that the service or its framework asks",
    "identity-headers",
    "internal-address",
    "middleware-subrequest",
    "middleware-internal",
  ],
  claims: ["the token's claims are in X-JWT-Payload and similar headers", "claims-headers"],
  token: [
    "the token is in X-Access-Token and similar headers",
    "x-authorization",
    "proxy-authorization",
    "token-headers",
  ],
};

/** These headers under names that are written with underscores, for reads alone. */
export const respelledHeaders: readonly InvalidMutation[] = Object.entries(GROUPS).flatMap(
  ([group, [what, ...names]]) =>
    respelled(
      inTurn(
        group,
        `no Authorization header, ${what}`,
        otherHeaders.filter(({ name }) => names.includes(name)),
      ),
    ),
);

/** The token with an invalid signature. */
function spoilt(token: string): string {
  const end = token.lastIndexOf(".") + 1;
  return token.slice(0, end) + token.slice(end).split("").toReversed().join("");
}

/** Ways to send a good token that the contract does not describe and RFCs do not forbid. */
export const openPresentations: readonly Mutation[] = [
  open("query", "the token is in the query alone, RFC 6750 §2.3", {
    authorization: () => [],
    request: (spec, _context, token) => ({ ...spec, path: `${spec.path}?access_token=${token}` }),
  }),
  open("cookie", "the token is in a cookie alone", {
    authorization: () => [],
    request: (spec, _context, token) => ({
      ...spec,
      headers: [
        ...spec.headers,
        ["cookie", ["access_token", "token", "jwt"].map((name) => `${name}=${token}`).join("; ")],
      ],
    }),
  }),
  open("good-then-bad", "two Authorization headers, the first one good", {
    authorization: (token) => [`Bearer ${token}`, `Bearer ${spoilt(token)}`],
  }),
  open("bad-then-good", "two Authorization headers, the second one good", {
    authorization: (token) => [`Bearer ${spoilt(token)}`, `Bearer ${token}`],
  }),
  open("comma", "one header with a bad and a good token, a comma between", {
    authorization: (token) => [`Bearer ${spoilt(token)}, Bearer ${token}`],
  }),
  open("within-basic", "the words `Bearer <token>` after other credentials", {
    authorization: (token) => [`Basic conformance Bearer ${token}`],
  }),
  open("quoted", "the token is in quotes", { authorization: (token) => [`Bearer "${token}"`] }),
  open("two-spaces", "two spaces before the token", {
    authorization: (token) => [`Bearer  ${token}`],
  }),
  open("tab", "a tab before the token", { authorization: (token) => [`Bearer\t${token}`] }),
  open("folded", "the header continues on a second line, RFC 9112 §5.2", {
    authorization: (token) => [`Bearer\r\n ${token}`],
  }),
  open("line-feed", "a line feed alone ends the line before the Authorization header", {
    authorization: () => [],
    request: (spec, _context, token) => ({
      ...spec,
      headers: [...spec.headers, ["x-conformance", `a\nauthorization: Bearer ${token}`]],
    }),
  }),
];

/** A token in a form body, RFC 6750 §2.2. */
export const inForm: Mutation = open("form", "the token is in a form body", {
  authorization: () => [],
  request: (spec, _context, token) => ({
    ...spec,
    headers: [["content-type", "application/x-www-form-urlencoded"]],
    body: `access_token=${token}`,
  }),
});

/** The scheme's case does not matter, RFC 9110 §11.1. */
export const lowerCaseScheme: Mutation = {
  name: "lower-case-scheme",
  what: "the scheme is written `bearer`",
  authorization: (token) => [`bearer ${token}`],
};
