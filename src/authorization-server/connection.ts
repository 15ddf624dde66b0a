import PQueue from "p-queue";

import type { Scope } from "../contract/operations.ts";
import { Interrupted, type HttpOptions } from "../http/client.ts";
import type { Origin } from "../http/origin.ts";
import { SuiteError } from "../lib/errors.ts";
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
  /** That is no refusal: nobody answered, or what answered says nothing of the request. */
  readonly unclear?: true;
}

/** A code, and the request that it came of. */
export interface Coded {
  readonly request: AuthorizationRequest;
  readonly answer: AuthorizationAnswer;
}

/** In what a consent is not the usual one. */
export interface ConsentOptions {
  readonly change?: AuthorizationChange | undefined;
  /** Paths to any of which the answer may come; default: that of the redirect URI. */
  readonly paths?: readonly string[] | undefined;
  /** It is to be refused, by whoever the profile names for that. Default: false. */
  readonly refuse?: boolean | undefined;
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
    options?: ConsentOptions,
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
  /** Asks for another token by a refresh token, RFC 6749 section 6. */
  refresh(
    name: string,
    client: Client,
    refreshToken: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** Whether a client that was refused will present itself otherwise the next time; asked once. */
  mayRetry(client: Client): boolean;
  /** Every answer of the token endpoint so far. */
  readonly responses: readonly TokenResponse[];
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
  /** Where connections may go; see `Origin`. */
  readonly untrusted?: Origin["untrusted"];
  /** Called before each consent, with how many there have been, and whether it is to be refused. */
  readonly onConsent?: ((client: Client, count: number, refuse: boolean) => void) | undefined;
}

const CONSENT_TIMEOUT_MS = 120_000;
/** Many servers count the requests of one client, and the suite is in no hurry. */
const CONCURRENCY = 2;

/** Opens nothing yet: the first request does. */
export function connect(server: AuthorizationServer, options: ConnectionOptions): Connection {
  const { timeoutMs, ca, untrusted, consentTimeoutMs = CONSENT_TIMEOUT_MS, signal } = options;
  const common: Omit<Origin, "origin"> = {
    request: { headers: {}, ca, timeoutMs, maxRequestsPerSecond: server.maxRequestsPerSecond },
    ...(untrusted && { untrusted }),
    secrets: server.clients.flatMap(({ secret }) => secret ?? []),
  };
  const origins = createOrigins(common, { ...options, concurrency: CONCURRENCY });
  const forms = new Map<string, AuthenticationForm>();
  const misread = new Set<string>();
  const responses: TokenResponse[] = [];
  const listeners = new Map<string, Promise<RedirectListener | Failed>>();
  const consents = new PQueue({ concurrency: 1 });
  let endpoints: Promise<Endpoints> | undefined;
  let asked = 0;

  function listenerOf({ redirectUri = "" }: Client): Promise<RedirectListener | Failed> {
    const known = listeners.get(redirectUri);
    if (known) return known;
    const opened = listenForRedirects(redirectUri).catch((error: unknown): Failed => {
      if (error instanceof SuiteError) return { failed: error.message, unclear: true };
      throw error;
    });
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
      const listener = await listenerOf(client);
      if ("failed" in listener) return listener;
      const words = connection.wordsFor(scopes);
      return authorizationRequest(authorization, client, words, listener.redirectUri, change);
    },
    consent: (client, scopes, { change, paths, refuse = false } = {}) =>
      consents.add(async () => {
        const request = await connection.authorizationRequest(client, scopes, change);
        if ("failed" in request) return request;
        const listener = await listenerOf(client);
        if ("failed" in listener) return listener;
        asked += 1;
        const consent = refuse ? client.refusal : client.consent;
        options.onConsent?.(client, asked, refuse);
        const limits = { timeoutMs: consentTimeoutMs, signal, paths, consent };
        const answer = await authorize(request, client, listener, limits);
        if (signal?.aborted) throw new Interrupted();
        if (!("failed" in answer)) return { request, answer };
        // A person who is shown an error does not tell.
        const unclear = answer.late || consent === "browser" || consent === undefined;
        return { failed: answer.failed, ...(unclear && { unclear }) };
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
    refresh: (name, client, refreshToken, change) =>
      token(
        name,
        client,
        { grant_type: "refresh_token", refresh_token: refreshToken },
        // Whatever comes of it says nothing of how the client presents itself.
        change ?? {},
      ),
    responses,
    mayRetry: ({ name }) => misread.delete(name),
    get consents() {
      return asked;
    },
    async close() {
      const open = await Promise.all(listeners.values());
      const closing = open.map((one) => ("close" in one ? one.close() : undefined));
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
    responses.push(response);
    if (response.accessToken !== undefined) forms.set(client.name, first);
    // Only a client that has never been let in may have been misread.
    if (!second || change !== undefined || response.error !== "invalid_client") return response;
    if (grant["code"] !== undefined) {
      // A code is good for one try.
      forms.set(client.name, second);
      misread.add(client.name);
      return response;
    }
    const again = await requestToken(name, at, client, grant, second);
    responses.push(again);
    if (again.accessToken === undefined) return response;
    forms.set(client.name, second);
    return again;
  }
}
