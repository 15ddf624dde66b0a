import type { OperationId, Scope } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { type CaseProbe, waitFor, type Waiting } from "../probe/case-run.ts";
import { endCase, type Evidence, Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { AuthorizationRequest } from "./protocol/authorization-request.ts";
import type { Credentials } from "./protocol/client-authentication.ts";
import type { Connection } from "./protocol/connection.ts";
import type { Coded, ConsentOptions, RequestOptions } from "./protocol/consents.ts";
import type { Failed } from "./protocol/failed.ts";
import { clientCredentialsGrant, codeGrant, type Grant, refreshGrant } from "./protocol/grants.ts";
import { type KeySet, readKeySet } from "./protocol/key-set.ts";
import type { Endpoints } from "./protocol/metadata.ts";
import type { ServerAnswer, ServerRequest } from "./protocol/origins.ts";
import type { NotPushed, PushedAnswer } from "./protocol/pushed-request.ts";
import type { TokenRequestChange, TokenResponse } from "./protocol/token-request.ts";
import { noToken } from "./tokens/flow-control.ts";
import type { IssuedToken, IssuedTokens } from "./tokens/issued.ts";

/** A code, with its authorization request. */
export interface Redeemable extends Coded {
  readonly code: string;
}

export interface Presented {
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/** Determines something about a client for all cases of a run. */
export type FindOut<T> = (probe: ServerProbe, client: Client) => Promise<T>;

/** The interface for rules about the authorization server: one case's view of a run. */
export interface ServerProbe {
  readonly target: Target;
  readonly server: AuthorizationServer;
  /** Every response of the token endpoint so far, for rules of the phase `record`. */
  readonly responses: readonly TokenResponse[];
  readonly issued: readonly IssuedToken[];
  endpoints(): Promise<Endpoints>;
  /** The JWKS, read anew. Ends the case where there is none. */
  keySet(): Promise<KeySet>;
  /** Like `keySet`, but returns the reason where there is none. */
  tryKeySet(): Promise<KeySet | Failed>;
  /** Sends a request that is not part of a flow. */
  send(request: ServerRequest): Promise<ServerAnswer>;
  /** A client's current token, or its first one. Ends the case where there is none. */
  token(client: Client): Promise<IssuedToken>;
  /** Like `token`, but returns the reason where there is none. */
  currentToken(client: Client): Promise<IssuedToken | Failed>;
  /** A new token. Ends the case where there is none. */
  freshToken(client: Client, scopes?: readonly Scope[]): Promise<IssuedToken>;
  /** Like `freshToken`, but returns the reason where there is none. */
  tryToken(client: Client, scopes?: readonly Scope[]): Promise<IssuedToken | Failed>;
  /** A working flow, which the engine repeats after the case. Ends the case where there is none. */
  control(client: Client): Promise<IssuedToken>;
  /** Sends a token request by client credentials with one change. */
  clientCredentials(
    client: Client,
    scopes: readonly Scope[],
    change: TokenRequestChange,
  ): Promise<TokenResponse>;
  /** A new code from a good authorization request. Ends the case where there is none. */
  code(client: Client): Promise<Redeemable>;
  /** A code from an authorization request that may be changed, or the reason why there is none. */
  tryCode(
    client: Client,
    scopes: readonly Scope[],
    options?: ConsentOptions,
  ): Promise<Redeemable | Failed>;
  /** The redirect after a login, whatever it has, or the reason why there is none. */
  consent(
    client: Client,
    scopes: readonly Scope[],
    options?: ConsentOptions,
  ): Promise<Coded | Failed>;
  /** Redeems a code with a token request that may be changed. */
  exchange(client: Client, coded: Redeemable, change?: TokenRequestChange): Promise<TokenResponse>;
  refresh(
    client: Client,
    refreshToken: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse>;
  /** Requests a token with the refresh token that came with a token, and adds it to `issued`. */
  refreshed(token: IssuedToken): Promise<TokenResponse>;
  /** A client's authorization request, which may be changed, and may be refused when it is pushed. */
  authorizationRequest(
    client: Client,
    options?: RequestOptions,
  ): Promise<AuthorizationRequest | NotPushed>;
  /** Whether the server has the client push its authorization requests, RFC 9126. */
  pushes(client: Client): Promise<boolean>;
  /** Pushes a client's good authorization request; see `Consents.push`. Ends the case where nothing can be sent. */
  push(client: Client, credentials?: Credentials): Promise<PushedAnswer>;
  /** Where the suite listens for a client's redirects. */
  redirectUri(client: Client): Promise<URL>;
  /** Waits while the rest of the run goes on. Throws Interrupted. */
  wait(ms: number): Promise<void>;
  /** The result of `find` for a client. The first case that asks determines it, once in a run. */
  shared<T>(find: FindOut<T>, client: Client): Promise<T>;
  /** Sends the receiver's good request for an operation with this token. */
  present(token: IssuedToken, operation: OperationId): Promise<Presented>;
  /** Sends the same request with another text in place of the token, which must be refused. */
  presentOther(token: IssuedToken, text: string, operation: OperationId): Promise<Presented>;
}

/** What all cases of this side share. */
export interface ServerSession {
  readonly target: Target;
  readonly connection: Connection;
  readonly tokens: IssuedTokens;
  readonly present: (
    name: string,
    token: IssuedToken,
    operation: OperationId,
    options?: { readonly wanted?: boolean },
  ) => Promise<Presented>;
  readonly wait: (ms: number) => Promise<void>;
  /** Results by function and by client; see `ServerProbe.shared`. */
  readonly found: Map<FindOut<unknown>, Map<string, Promise<unknown>>>;
}

/** Creates the probe for one case, with the set of controls that it uses, and how long it has waited. */
export function createServerProbe(
  session: ServerSession,
  name: string,
): CaseProbe<ServerProbe, IssuedToken> {
  const { target, connection, tokens } = session;
  const { server } = connection;
  const used = new Set<IssuedToken>();
  const waiting: Waiting = { session, waitedMs: undefined };

  /** A request of a case counts as changed: its code may be used already, and a refusal says nothing about the form. */
  async function requestToken(
    client: Client,
    grant: Grant,
    change: TokenRequestChange = {},
  ): Promise<TokenResponse> {
    return resultOrEnd(await connection.request(name, client, grant, change), NOTHING_SENT);
  }

  const probe: ServerProbe = {
    target,
    server,
    responses: connection.responses,
    issued: tokens.all,
    endpoints: () => connection.endpoints(),
    keySet: async () =>
      resultOrEnd(await readKeySet(connection, name), "the JWKS could not be read"),
    tryKeySet: () => readKeySet(connection, name),
    send: (request) => connection.origins.send(name, request),
    token: async (client) => resultOrEnd(await tokens.get(client), noToken(client)),
    currentToken: (client) => tokens.get(client),
    freshToken: async (client, scopes) =>
      resultOrEnd(await tokens.fresh(name, client, scopes), noToken(client)),
    tryToken: (client, scopes) => tokens.fresh(name, client, scopes),
    async control(client) {
      const control = resultOrEnd(await tokens.control(client), noToken(client));
      used.add(control);
      return control;
    },
    clientCredentials: (client, scopes, change) =>
      requestToken(client, clientCredentialsGrant(server, scopes), change),
    code: async (client) =>
      resultOrEnd(
        await probe.tryCode(client, client.scopes),
        `there was no code for the client ${client.name}`,
      ),
    consent: (client, scopes, options) => connection.consents.obtain(client, scopes, options),
    async tryCode(client, scopes, options) {
      const coded = await probe.consent(client, scopes, options);
      if ("failed" in coded) return coded;
      const { code, error } = coded.answer;
      if (code !== undefined) return { ...coded, code };
      return {
        failed: `the redirect had ${error === undefined ? "no code" : `the error ${error.slice(0, 40)}`}`,
      };
    },
    exchange: (client, coded, change) =>
      requestToken(client, codeGrant(coded.request, coded.code), change),
    refresh: (client, refreshToken, change) =>
      requestToken(client, refreshGrant(refreshToken), change),
    async refreshed(token) {
      const response = await probe.refresh(token.client, token.response.refreshToken ?? "");
      tokens.refreshed(token, response);
      return response;
    },
    async authorizationRequest(client, options) {
      const built = await connection.consents.request(client, client.scopes, options);
      return "refusedBy" in built ? built : resultOrEnd(built, NO_REQUEST);
    },
    pushes: (client) => connection.consents.pushes(client),
    push: async (client, credentials) =>
      resultOrEnd(await connection.consents.push(client, credentials), NOTHING_SENT),
    redirectUri: async (client) =>
      new URL(resultOrEnd(await connection.consents.listener(client), NO_REQUEST).redirectUri),
    wait: (ms) => waitFor(waiting, ms),
    shared<T>(find: FindOut<T>, client: Client): Promise<T> {
      const byClient = session.found.get(find) ?? new Map<string, Promise<unknown>>();
      session.found.set(find, byClient);
      const known = (byClient.get(client.name) as Promise<T> | undefined) ?? find(probe, client);
      byClient.set(client.name, known);
      return known;
    },
    present: (token, operation) => session.present(name, token, operation),
    presentOther: (token, text, operation) =>
      session.present(name, { ...token, token: text }, operation, { wanted: false }),
  };
  return {
    probe,
    used,
    get waitedMs() {
      return waiting.waitedMs;
    },
  };
}

const NOTHING_SENT = "nothing was sent";
const NO_REQUEST = "no authorization request could be made";

function resultOrEnd<T extends object>(result: T | Failed, otherwise: string): T {
  return "failed" in result
    ? endCase(Finding.inconclusive(phrase`${otherwise}: ${result.failed}`))
    : result;
}
