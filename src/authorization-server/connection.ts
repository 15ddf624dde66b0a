import PQueue from "p-queue";

import type { Scope } from "../contract/operations.ts";
import { Interrupted, type HttpOptions } from "../http/client.ts";
import type { Origin } from "../http/origin.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import {
  type AuthorizationAnswer,
  type AuthorizationChange,
  type AuthorizationRequest,
  authorizationRequest,
  authorize,
} from "./authorization-request.ts";
import { type AuthenticationForm, formsOf } from "./client-authentication.ts";
import { discover, type Endpoints } from "./metadata.ts";
import { createOrigins, type Origins } from "./origins.ts";
import { listenForRedirects, type RedirectListener } from "./redirect-listener.ts";
import { requestToken, type TokenRequestChange, type TokenResponse } from "./token-request.ts";

/** Why something could not be done, as the end of a sentence. */
export interface Failed {
  readonly failed: string;
}

/** A code, and the request that it came of. */
export interface Coded {
  readonly request: AuthorizationRequest;
  readonly answer: AuthorizationAnswer;
}

/** The suite's dealings with one authorization server: its endpoints, and both flows step by step. */
export interface Connection {
  readonly server: AuthorizationServer;
  readonly origins: Origins;
  /** The endpoints, from the profile or the metadata; asked for once. */
  endpoints(): Promise<Endpoints>;
  /** The words by which the server is asked for scopes, each once. */
  wordsFor(scopes: readonly Scope[]): string;
  /**
   * Asks for a token by client credentials.
   * @param name of the case that asks
   */
  clientCredentials(
    name: string,
    client: Client,
    scopes: readonly Scope[],
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** Has consent given, and waits for the redirect. One at a time. */
  consent(
    client: Client,
    scopes: readonly Scope[],
    options?: { change?: AuthorizationChange; path?: string },
  ): Promise<Coded | Failed>;
  /** The authorization request as it would be sent; nobody is asked. */
  authorizationRequest(
    client: Client,
    scopes: readonly Scope[],
    change?: AuthorizationChange,
  ): Promise<AuthorizationRequest | Failed>;
  /** Redeems a code, which may be another than came back. */
  exchange(
    name: string,
    client: Client,
    request: AuthorizationRequest,
    code: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** How often consent has been asked for. */
  readonly consents: number;
  close(): Promise<void>;
}

export interface ConnectionOptions extends Omit<HttpOptions, "concurrency"> {
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number;
  /** How long one consent may take, in milliseconds. Default: 2 minutes. */
  readonly consentTimeoutMs?: number | undefined;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Called before each consent, with how many there have been. */
  readonly onConsent?: ((client: Client, count: number) => void) | undefined;
}

const CONSENT_TIMEOUT_MS = 120_000;
/** Many servers count the requests of one client, and the suite is in no hurry. */
const CONCURRENCY = 2;

/** Opens nothing yet: the first request does. */
export function connect(server: AuthorizationServer, options: ConnectionOptions): Connection {
  const { timeoutMs, ca, consentTimeoutMs = CONSENT_TIMEOUT_MS, signal } = options;
  const common: Omit<Origin, "origin"> = {
    request: { headers: {}, ca, timeoutMs, maxRequestsPerSecond: server.maxRequestsPerSecond },
    secrets: server.clients.flatMap(({ secret }) => secret ?? []),
  };
  const origins = createOrigins(common, { ...options, concurrency: CONCURRENCY });
  const forms = new Map<string, AuthenticationForm>();
  const listeners = new Map<string, Promise<RedirectListener>>();
  const consents = new PQueue({ concurrency: 1 });
  let endpoints: Promise<Endpoints> | undefined;
  let asked = 0;

  function listenerOf({ redirectUri = "" }: Client): Promise<RedirectListener> {
    const known = listeners.get(redirectUri);
    if (known) return known;
    const opened = listenForRedirects(redirectUri);
    listeners.set(redirectUri, opened);
    return opened;
  }

  const connection: Connection = {
    server,
    origins,
    endpoints() {
      endpoints ??= discover(server, origins);
      return endpoints;
    },
    wordsFor: (scopes) => [...new Set(scopes.map((scope) => server.scopes[scope]))].join(" "),
    clientCredentials: (name, client, scopes, change) =>
      token(name, client, withScope({ grant_type: "client_credentials" }, scopes), change),
    async authorizationRequest(client, scopes, change) {
      const { authorization } = await connection.endpoints();
      if (authorization === undefined) {
        return { failed: "its metadata names no authorization_endpoint, nor does the profile" };
      }
      const { redirectUri } = await listenerOf(client);
      const words = connection.wordsFor(scopes);
      return authorizationRequest(authorization, client, words, redirectUri, change);
    },
    consent: (client, scopes, { change, path } = {}) =>
      consents.add(async () => {
        const request = await connection.authorizationRequest(client, scopes, change);
        if ("failed" in request) return request;
        asked += 1;
        options.onConsent?.(client, asked);
        const listener = await listenerOf(client);
        const limits = { timeoutMs: consentTimeoutMs, signal, path };
        const answer = await authorize(request, client, listener, limits);
        if (signal?.aborted) throw new Interrupted();
        return "failed" in answer ? answer : { request, answer };
      }),
    exchange(name, client, { redirectUri, verifier }, code, change) {
      const grant = {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      };
      return token(name, client, grant, change);
    },
    get consents() {
      return asked;
    },
    async close() {
      const open = await Promise.allSettled(listeners.values());
      const closing = open.map((one) =>
        one.status === "fulfilled" ? one.value.close() : undefined,
      );
      await Promise.all([...closing, origins.close()]);
    },
  };
  return connection;

  function withScope(
    grant: Readonly<Record<string, string>>,
    scopes: readonly Scope[],
  ): Readonly<Record<string, string>> {
    return scopes.length > 0 ? { ...grant, scope: connection.wordsFor(scopes) } : grant;
  }

  async function token(
    name: string,
    client: Client,
    grant: Readonly<Record<string, string>>,
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed> {
    const { token: tokenUrl } = await connection.endpoints();
    if (tokenUrl === undefined) {
      return { failed: "its metadata names no token_endpoint, nor does the profile" };
    }
    const at = { server, tokenUrl, origins };
    const known = forms.get(client.name);
    const [first, second] = known ? [known] : formsOf(client);
    if (!first) return { failed: "the client has no way to authenticate" };
    const response = await requestToken(name, at, client, grant, first, change);
    if (response.accessToken !== undefined) forms.set(client.name, first);
    // Only a client that has never been let in may have been misread; a code is good for one try.
    const misread = response.error === "invalid_client" && grant["code"] === undefined;
    if (!second || change !== undefined || !misread) return response;
    const again = await requestToken(name, at, client, grant, second);
    if (again.accessToken === undefined) return response;
    forms.set(client.name, second);
    return again;
  }
}
