import PQueue from "p-queue";

import type { Scope } from "../contract/operations.ts";
import { Interrupted, type HttpOptions } from "../http/client.ts";
import type { Origin } from "../http/origin.ts";
import { SuiteError } from "../lib/errors.ts";
import {
  type AuthorizationServer,
  type Client,
  isUnattended,
} from "../profile/authorization-server.ts";
import {
  type AuthorizationAnswer,
  type AuthorizationChange,
  type AuthorizationDraft,
  type AuthorizationRequest,
  authorize,
  draftRequest,
  withoutQuery,
} from "./authorization-request.ts";
import { type AuthenticationForm, formsOf } from "./client-authentication.ts";
import { discover, type Endpoints } from "./metadata.ts";
import { createOrigins, type Origins } from "./origins.ts";
import { composeRequest, hasToPush, type NotPushed, refusalBeforeLogin } from "./pushed-request.ts";
import { listenForRedirects, type RedirectListener } from "./redirect-listener.ts";
import { requestToken, type TokenRequestChange, type TokenResponse } from "./token-request.ts";
import { isUnauthenticated } from "./token-response.ts";

/** Why something could not be done, as the end of a sentence. */
export interface Failed {
  readonly failed: string;
  /**
   * True where this is not a refusal: there was no answer, or the answer says nothing about the
   * request.
   */
  readonly unclear?: true;
}

/** A redirect with its authorization request. */
export interface Coded {
  readonly request: AuthorizationRequest;
  readonly answer: AuthorizationAnswer;
}

/** Differences from the usual consent. */
export interface ConsentOptions {
  readonly change?: AuthorizationChange | undefined;
  /** A URL without query at which the redirect may arrive too, on a loopback host. Default: none. */
  readonly alsoAt?: string | undefined;
  /** Whether consent is refused, by the client's `refusal`. Default: false. */
  readonly refuse?: boolean | undefined;
}

/** Access to one authorization server: its endpoints, and the steps of both flows. */
export interface Connection {
  readonly server: AuthorizationServer;
  readonly origins: Origins;
  /** The endpoints, from the profile or the metadata. They are requested once. */
  endpoints(): Promise<Endpoints>;
  /** The server's names of scopes, each once, separated by spaces. */
  wordsFor(scopes: readonly Scope[]): string;
  /**
   * Requests a token by client credentials.
   * @param name the case that sends the request
   */
  clientCredentials(
    name: string,
    client: Client,
    scopes: readonly Scope[],
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** Obtains consent and waits for the redirect. One consent runs at a time. */
  consent(
    client: Client,
    scopes: readonly Scope[],
    options?: ConsentOptions,
  ): Promise<Coded | Failed>;
  /** The authorization request that a browser would make. Sends at most its parameters, to push them. */
  authorizationRequest(
    client: Client,
    scopes: readonly Scope[],
    change?: AuthorizationChange,
  ): Promise<AuthorizationRequest | NotPushed | Failed>;
  /** Whether the server has a client push its authorization requests. It is determined once. */
  pushes(client: Client): Promise<boolean>;
  /** Where the suite listens for a client's redirects. */
  listener(client: Client): Promise<RedirectListener | Failed>;
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
  /**
   * Whether a refused client will authenticate in another form next time. Only the first call says
   * so.
   */
  mayRetry(client: Client): boolean;
  /** Every response of the token endpoint so far. */
  readonly responses: readonly TokenResponse[];
  /** How many times consent was requested. */
  readonly consents: number;
  close(): Promise<void>;
}

/** How to connect to an authorization server. */
export interface ConnectionOptions extends Omit<HttpOptions, "concurrency"> {
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number;
  /** The longest that one consent may take, in milliseconds. Default: 2 minutes. */
  readonly consentTimeoutMs?: number | undefined;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** Restricts connections; see `Origin`. */
  readonly untrusted?: Origin["untrusted"];
  /**
   * Called before each consent with the number of consents so far, and whether consent is to be
   * refused.
   */
  readonly onConsent?: ((client: Client, count: number, refuse: boolean) => void) | undefined;
}

const CONSENT_TIMEOUT_MS = 120_000;
/** Many servers limit the requests of one client, and the suite does not need more. */
const CONCURRENCY = 2;

/** Creates a connection. It connects on the first request. */
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
  const pushing = new Map<string, Promise<boolean>>();
  const listeners = new Map<string, Promise<RedirectListener | Failed>>();
  const consents = new PQueue({ concurrency: 1 });
  let endpoints: Promise<Endpoints> | undefined;
  let asked = 0;

  function listenerOf({ redirectUri = "" }: Client): Promise<RedirectListener | Failed> {
    const known = listeners.get(redirectUri);
    if (known) return known;
    const opened = opening(redirectUri);
    listeners.set(redirectUri, opened);
    return opened;
  }

  function opening(redirectUri: string): Promise<RedirectListener | Failed> {
    return listenForRedirects(redirectUri).catch((error: unknown): Failed => {
      if (error instanceof SuiteError) return { failed: error.message, unclear: true };
      throw error;
    });
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
      const listener = await listenerOf(client);
      if ("failed" in listener) return listener;
      const draft = await draftFor(client, scopes, listener, change);
      return composeRequest(sender, client, draft, await connection.pushes(client));
    },
    pushes(client) {
      const found = pushing.get(client.name) ?? findWhetherToPush(client);
      pushing.set(client.name, found);
      return found;
    },
    listener: listenerOf,
    consent: (client, scopes, { change, alsoAt, refuse = false } = {}) =>
      consents.add(async () => {
        const request = await connection.authorizationRequest(client, scopes, change);
        if ("failed" in request) return request;
        const listener = await listenerOf(client);
        if ("failed" in listener) return listener;
        const isElsewhere =
          alsoAt !== undefined && new URL(alsoAt).host !== new URL(request.redirectUri).host;
        const neighbour = isElsewhere ? await opening(alsoAt) : undefined;
        if (neighbour && "failed" in neighbour) return neighbour;
        asked += 1;
        const consent = refuse ? client.refusal : client.consent;
        options.onConsent?.(client, asked, refuse);
        const at = [withoutQuery(request.redirectUri), ...(alsoAt === undefined ? [] : [alsoAt])];
        const limits = { timeoutMs: consentTimeoutMs, signal, at, consent };
        const open = neighbour ? [listener, neighbour] : [listener];
        const answer = await authorize(request, client, open, limits);
        await neighbour?.close();
        if (signal?.aborted) throw new Interrupted();
        if (!("failed" in answer)) return { request, answer };
        // A person who sees an error page cannot report it, so a missing redirect proves nothing.
        const unclear = answer.late || !isUnattended({ consent });
        const why = change || unclear ? undefined : await seenOf(client, scopes, listener);
        const failed = why === undefined ? answer.failed : `${answer.failed}; ${why}`;
        return { failed, ...(unclear && { unclear }) };
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
        // With `change` set, a refusal does not affect the form of client authentication.
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
  const sender = { issuer: server.issuer, origins, endpoints: () => connection.endpoints(), forms };
  return connection;

  async function findWhetherToPush(client: Client): Promise<boolean> {
    const listener = await listenerOf(client);
    if ("failed" in listener) return false;
    return hasToPush(sender, client, () => draftFor(client, client.scopes, listener));
  }

  function draftFor(
    client: Client,
    scopes: readonly Scope[],
    { redirectUri }: RedirectListener,
    change?: AuthorizationChange,
  ): Promise<AuthorizationDraft> {
    return draftRequest(client, connection.wordsFor(scopes), redirectUri, change);
  }

  /** What the suite itself sees of a good request that a command got no answer for. */
  async function seenOf(
    client: Client,
    scopes: readonly Scope[],
    listener: RedirectListener,
  ): Promise<string | undefined> {
    const draft = await draftFor(client, scopes, listener);
    const refused = await refusalBeforeLogin(sender, client, draft);
    return refused && `the server answers this good request by ${refused} before any login`;
  }

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
    // Only a client that was never accepted may need another form.
    if (!second || change !== undefined || !isUnauthenticated(response)) return response;
    if (grant["code"] !== undefined) {
      // A code can be used only once.
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
