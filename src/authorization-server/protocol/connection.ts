import type { Scope } from "../../contract/operations.ts";
import type { HttpOptions } from "../../http/client.ts";
import type { Origin } from "../../http/origin.ts";
import type { AuthorizationServer, Client } from "../../profile/authorization-server.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { type Consents, type ConsentsOptions, createConsents } from "./consents.ts";
import type { Failed } from "./failed.ts";
import { clientCredentialsGrant, codeGrant, refreshGrant, scopeWords } from "./grants.ts";
import { discover, type Endpoints } from "./metadata.ts";
import { createOrigins, type Origins } from "./origins.ts";
import { createTokenEndpoint } from "./token-endpoint.ts";
import type { TokenRequestChange, TokenResponse } from "./token-request.ts";

/** Access to one authorization server: its endpoints, and the steps of both flows. */
export interface Connection {
  readonly origins: Origins;
  /** The endpoints, from the profile or the metadata. They are requested once. */
  endpoints(): Promise<Endpoints>;
  /** The server's names of scopes, each once, separated by spaces. */
  wordsFor(scopes: readonly Scope[]): string;
  /** Requests a token by client credentials, for the case of this name. */
  clientCredentials(
    name: string,
    client: Client,
    scopes: readonly Scope[],
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  readonly consents: Consents;
  /** Redeems a code, which need not be the one that the redirect brought. */
  exchange(
    name: string,
    client: Client,
    request: AuthorizationRequest,
    code: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** Requests a token with a refresh token, RFC 6749 section 6. */
  refresh(
    name: string,
    client: Client,
    refreshToken: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** Whether a refused client will next authenticate in another form; true only the first time. */
  mayRetry(client: Client): boolean;
  /** Every response of the token endpoint so far. */
  readonly responses: readonly TokenResponse[];
  close(): Promise<void>;
}

/** How to connect to an authorization server. */
export interface ConnectionOptions extends Omit<HttpOptions, "concurrency">, ConsentsOptions {
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Restricts connections; see `Origin`. */
  readonly untrusted?: Origin["untrusted"];
}

/** Many servers limit the requests of one client, and the suite does not need more. */
const CONCURRENCY = 2;

/** Creates a connection. It connects on the first request. */
export function connect(server: AuthorizationServer, options: ConnectionOptions): Connection {
  const { timeoutMs, ca, untrusted } = options;
  const common: Omit<Origin, "origin"> = {
    request: {
      headers: {},
      ca,
      timeoutMs,
      maxRequestsPerSecond: server.maxRequestsPerSecond,
      retryAfterSeconds: server.retryAfterSeconds,
    },
    ...(untrusted && { untrusted }),
    secrets: server.clients.flatMap(({ secret }) => secret ?? []),
  };
  const origins = createOrigins(common, { ...options, concurrency: CONCURRENCY });
  let discovered: Promise<Endpoints> | undefined;
  const endpoints = (): Promise<Endpoints> => (discovered ??= discover(server, origins));
  const wordsFor = (scopes: readonly Scope[]): string => scopeWords(server, scopes);
  const tokens = createTokenEndpoint(server, origins, endpoints);
  const sender = { issuer: server.issuer, origins, endpoints, forms: tokens.forms };
  const consents = createConsents(sender, wordsFor, options);

  return {
    origins,
    endpoints,
    wordsFor,
    clientCredentials(name, client, scopes, change) {
      return tokens.request(name, client, clientCredentialsGrant(server, scopes), change);
    },
    consents,
    exchange(name, client, request, code, change) {
      return tokens.request(name, client, codeGrant(request, code), change);
    },
    refresh(name, client, refreshToken, change) {
      // With `change` set, a refusal does not affect the form of client authentication.
      return tokens.request(name, client, refreshGrant(refreshToken), change ?? {});
    },
    responses: tokens.responses,
    mayRetry: (client) => tokens.mayRetry(client),
    async close() {
      await Promise.all([consents.close(), origins.close()]);
    },
  };
}
