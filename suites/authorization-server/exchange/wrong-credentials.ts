import { randomBytes } from "node:crypto";

import {
  byBasic,
  namedOnly,
  withOtherKey,
} from "../../../src/authorization-server/protocol/client-authentication.ts";
import type { TokenRequestChange } from "../../../src/authorization-server/protocol/token-request.ts";
import { type ClientCase, clientsOf } from "../../../src/authorization-server/rule.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";

// Token requests with credentials that are wrong, or presented in a way that the contract leaves open.

/** A token request that differs from the client's own in one thing. */
export interface ChangedRequest {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly change: (client: Client) => TokenRequestChange | Promise<TokenRequestChange>;
}

interface WrongCredentials extends ChangedRequest, Pick<ClientCase, "level"> {
  /** Whether it is run for every client. Default: for the first. */
  readonly every?: true;
}

/** Credentials that are not the client's. */
export const WRONG_SECRETS: readonly WrongCredentials[] = [
  {
    id: "wrong-secret",
    every: true,
    title: "A wrong secret gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...client, secret: halfRight(client.secret ?? "") } }),
  },
  {
    id: "empty-secret",
    every: true,
    title: "An empty secret gives no token",
    source: "CVE-2026-73309",
    change: (client) => ({ as: { ...client, secret: "" } }),
  },
  {
    id: "no-secret",
    every: true,
    title: "The `client_id` alone gives no token",
    source: "RFC 6749 section 4.4",
    change: (client) => ({ credentials: namedOnly(client) }),
  },
  {
    id: "id-as-secret",
    every: true,
    title: "The `client_id` in place of the secret gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...client, secret: client.id } }),
  },
  // Secrets that are right but for the end, or for the case of their letters, and a name that nobody has.
  {
    id: "longer-secret",
    title: "The secret with another letter at its end gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...client, secret: `${client.secret ?? ""}x` } }),
  },
  {
    id: "shorter-secret",
    title: "The secret without its last letter gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...client, secret: (client.secret ?? "").slice(0, -1) } }),
  },
  {
    id: "secret-case",
    title: "The secret in the other case gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...client, secret: inOtherCase(client.secret ?? "") } }),
  },
  {
    id: "unknown-client",
    title: "A `client_id` that is not registered gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...client, id: "conformance-is-not-registered" } }),
  },
  // Credentials that are wrong where the client does not usually send them.
  {
    id: "other-method",
    title: "A wrong secret gives no token by the other method: in the form, or by HTTP Basic",
    source: "RFC 6749 sections 2.3.1 and 4.4.2",
    change: (client) => withWrongSecretElsewhere(client),
  },
];

/** Wrong credentials of a client that authenticates by an assertion. */
export const WRONG_ASSERTIONS: readonly WrongCredentials[] = [
  {
    id: "wrong-key",
    every: true,
    title: "An assertion that another key signed gives no token",
    source: "RFC 6749 section 4.4.2, RFC 7523 section 3",
    change: async (client) => ({ as: await withOtherKey(client) }),
  },
  {
    id: "no-assertion",
    every: true,
    title: "The `client_id` without an assertion gives no token",
    source: "RFC 6749 section 4.4",
    change: (client) => ({ credentials: namedOnly(client) }),
  },
  {
    id: "secret-instead",
    every: true,
    title: "A made-up secret in place of the assertion gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) => ({ as: { ...byBasic(client), secret: randomBytes(16).toString("hex") } }),
  },
  // Assertions that name the client and are wrong in another way.
  {
    id: "unsigned-assertion",
    title: "An assertion without a signature gives no token",
    source: "RFC 6749 section 4.4.2, RFC 7523 section 3",
    change: () => ({ assertion: { signature: "none" } }),
  },
  {
    id: "confused-assertion",
    title: "An assertion by HMAC, with the client's public key as secret, gives no token",
    source: "RFC 8725 section 2.1",
    change: () => ({ assertion: { signature: "public key as secret" } }),
  },
  {
    id: "embedded-key",
    title: "An assertion that a new key signed, which is in its header, gives no token",
    source: "RFC 7515 section 4.1.3, RFC 7523 section 3",
    change: () => ({ assertion: { signature: "key in the header" } }),
  },
  {
    id: "expired-assertion",
    title: "An expired assertion gives no token",
    level: "SHOULD",
    source: "RFC 7523 section 3",
    change: () => ({ assertion: { ageSeconds: 3600 } }),
  },
  {
    id: "assertion-for-another",
    title: "An assertion for another server gives no token",
    level: "SHOULD",
    source: "RFC 7523 section 3",
    change: () => ({ assertion: { audience: "https://conformance.invalid" } }),
  },
  {
    id: "assertion-without-audience",
    title: "An assertion without `aud` gives no token",
    level: "SHOULD",
    source: "RFC 7523 section 3",
    change: () => ({ assertion: { without: "aud" } }),
  },
  {
    id: "assertion-without-expiry",
    title: "An assertion without `exp` gives no token",
    level: "SHOULD",
    source: "RFC 7523 section 3",
    change: () => ({ assertion: { without: "exp" } }),
  },
];

/** Requests that only the client must not send. The contract leaves the server's answer open. */
export const OPEN_REQUESTS: readonly ChangedRequest[] = [
  {
    id: "two-methods",
    title: "What the server does with a secret that is sent twice, by HTTP Basic and in the form",
    source: "RFC 6749 section 2.3",
    change: (client) => presentingTwice(client, client.secret ?? ""),
  },
  {
    id: "two-methods-one-wrong",
    title: "What the server does with the right secret by HTTP Basic and a wrong one in the form",
    source: "RFC 6749 section 2.3",
    change: (client) => presentingTwice(client, `${client.secret ?? ""}x`),
  },
  {
    id: "get",
    title: "What the server does with a token request by GET, with the secret by HTTP Basic",
    source: "RFC 6749 section 3.2",
    change: (client) => ({ as: byBasic(client), carriedBy: "query" }),
  },
  {
    id: "json",
    title: "What the server does with a token request in JSON",
    source: "RFC 6749 section 4.4.2",
    change: () => ({ carriedBy: "json" }),
  },
  {
    id: "repeated-grant-type",
    title: "What the server does with a `grant_type` that is sent twice",
    source: "RFC 6749 section 3.2",
    change: () => ({ parameters: { grant_type: ["client_credentials", "client_credentials"] } }),
  },
  {
    id: "repeated-client-id",
    title: "What the server does with a `client_id` that is sent twice",
    source: "RFC 6749 section 3.2",
    change: ({ id }) => ({ parameters: { client_id: [id, id] } }),
  },
];

/** Secrets that are not the client's, for the request of a code or a refresh token: what is wrong, after "for". */
export function wrongSecrets(
  client: Client,
): readonly { readonly what: string; readonly change: TokenRequestChange }[] {
  const { id, secret = "" } = client;
  const known = { what: "the `client_id` as secret", change: { as: { ...client, secret: id } } };
  return [
    { what: "a wrong secret", change: { as: { ...client, secret: `${secret}x` } } },
    ...(id === secret ? [] : [known]),
    { what: "a wrong secret by the other method", change: withWrongSecretElsewhere(client) },
  ];
}

/** A wrong secret in the form where the client uses HTTP Basic, and the other way round. */
function withWrongSecretElsewhere(client: Client): TokenRequestChange {
  const { authentication, secret = "" } = client;
  const other =
    authentication === "client_secret_post" ? "client_secret_basic" : "client_secret_post";
  return { as: { ...client, authentication: other, secret: halfRight(secret) } };
}

/** A secret of the same length that begins like the right one, because a server may compare the beginning only. */
function halfRight(secret: string): string {
  const half = Math.floor(secret.length / 2);
  const rest = randomBytes(secret.length).toString("hex").slice(half, secret.length);
  return secret.slice(0, half) + rest;
}

/** A secret with capitals for small letters, and the other way round. */
function inOtherCase(secret: string): string {
  return secret.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** Sends a secret in both ways at once. */
function presentingTwice(client: Client, inForm: string): TokenRequestChange {
  return { as: byBasic(client), parameters: { client_id: client.id, client_secret: inForm } };
}

/**
 * The cases in which a service presents the same credentials. A server that accepts them there has one fault, and not one for
 * each grant.
 * @param ids of cases of client credentials
 */
export function byServices(server: AuthorizationServer, ...ids: readonly string[]): string[] {
  return clientsOf(server, "client_credentials").flatMap(({ name }) =>
    ids.map((id) => `authorization-server.client-credentials/${id}@${name}`),
  );
}
