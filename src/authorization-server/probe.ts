import { controlId } from "../contract/ids.ts";
import type { Operation, OperationId, Scope } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { endCase } from "../probe/case-end.ts";
import type { Evidence, Finding } from "../probe/finding.ts";
import { phrase, type Phrase } from "../probe/phrase.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { AuthorizationChange, AuthorizationRequest } from "./authorization-request.ts";
import type { Connection } from "./connection.ts";
import type { Coded, ConsentOptions } from "./consents.ts";
import type { Failed } from "./failed.ts";
import type { IssuedToken, IssuedTokens } from "./issued.ts";
import { type KeySet, readKeySet } from "./key-set.ts";
import type { Endpoints } from "./metadata.ts";
import type { ServerAnswer, ServerRequest } from "./origins.ts";
import type { NotPushed } from "./pushed-request.ts";
import type { TokenRequestChange, TokenResponse } from "./token-request.ts";
import { describeResponse, isUnclear } from "./token-response.ts";

/** A flow that returned a token. A refusal proves something only beside one. */
export interface FlowControl {
  readonly client: Client;
  readonly token: IssuedToken;
}

/** A code, with its authorization request. */
export interface Redeemable extends Coded {
  readonly code: string;
}

/** The receiver's answer to an issued token. */
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
  /** Every token that was issued so far. */
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
  /**
   * A working flow of the client, which the engine repeats after the case's requests. Ends the case
   * where the flow does not work.
   */
  control(client: Client): Promise<FlowControl>;
  /** Sends a token request by client credentials with one change. */
  clientCredentials(
    client: Client,
    scopes: readonly Scope[],
    change: TokenRequestChange,
  ): Promise<TokenResponse>;
  /** A new code from a good authorization request. Ends the case where there is none. */
  code(client: Client): Promise<Redeemable>;
  /**
   * A code from an authorization request that may be changed, or the reason why there is none.
   * @param options further differences of the consent
   */
  tryCode(
    client: Client,
    scopes: readonly Scope[],
    change?: AuthorizationChange,
    options?: Omit<ConsentOptions, "change">,
  ): Promise<Redeemable | Failed>;
  /** The redirect after a login, whatever it has, or the reason why there is none. */
  consent(
    client: Client,
    scopes: readonly Scope[],
    options?: ConsentOptions,
  ): Promise<Coded | Failed>;
  /** Redeems a code with a token request that may be changed. */
  exchange(client: Client, coded: Redeemable, change?: TokenRequestChange): Promise<TokenResponse>;
  /** Requests a token with a refresh token. */
  refresh(
    client: Client,
    refreshToken: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse>;
  /** Requests a token with the refresh token that came with a token, and adds it to `issued`. */
  refreshed(token: IssuedToken): Promise<TokenResponse>;
  /** A client's authorization request with changed parameters, which may be refused when it is pushed. */
  authorizationRequest(
    client: Client,
    change?: AuthorizationChange,
  ): Promise<AuthorizationRequest | NotPushed>;
  /** Whether the server has the client push its authorization requests, RFC 9126. */
  pushes(client: Client): Promise<boolean>;
  /** Where the suite listens for a client's redirects. */
  redirectUri(client: Client): Promise<URL>;
  /**
   * Waits while the rest of the run goes on.
   * @throws Interrupted
   */
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
  readonly server: AuthorizationServer;
  readonly connection: Connection;
  readonly tokens: IssuedTokens;
  readonly present: (
    name: string,
    token: IssuedToken,
    operation: Operation["id"],
    options?: { readonly wanted?: boolean },
  ) => Promise<Presented>;
  readonly wait: (ms: number) => Promise<void>;
  /** Working flows by client; see `ServerProbe.control`. */
  readonly controls: Map<string, Promise<FlowControl | Failed>>;
  /** Results by function and by client; see `ServerProbe.shared`. */
  readonly found: Map<FindOut<unknown>, Map<string, Promise<unknown>>>;
}

/** Creates the probe for one case, and the set of controls that it uses. */
export function createServerProbe(
  session: ServerSession,
  name: string,
): { readonly probe: ServerProbe; readonly used: ReadonlySet<FlowControl> } {
  const { target, server, connection, tokens } = session;
  const used = new Set<FlowControl>();

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
      const control = resultOrEnd(await controlOf(session, client), noToken(client));
      used.add(control);
      return control;
    },
    clientCredentials: async (client, scopes, change) =>
      resultOrEnd(
        await connection.clientCredentials(name, client, scopes, change),
        "nothing was sent",
      ),
    code: async (client) =>
      resultOrEnd(
        await probe.tryCode(client, client.scopes),
        `there was no code for the client ${client.name}`,
      ),
    consent: (client, scopes, options) => connection.consent(client, scopes, options),
    async tryCode(client, scopes, change, options) {
      const coded = await connection.consent(client, scopes, { ...options, change });
      if ("failed" in coded) return coded;
      const { code, error } = coded.answer;
      if (code !== undefined) return { ...coded, code };
      return {
        failed: `the redirect had ${error === undefined ? "no code" : `the error ${error.slice(0, 40)}`}`,
      };
    },
    exchange: async (client, { request, code }, change) =>
      resultOrEnd(
        // It may be a code that is used already, or not the client's.
        await connection.exchange(name, client, request, code, change ?? {}),
        "nothing was sent",
      ),
    refresh: async (client, refreshToken, change) =>
      resultOrEnd(await connection.refresh(name, client, refreshToken, change), "nothing was sent"),
    async refreshed(token) {
      const response = await probe.refresh(token.client, token.response.refreshToken ?? "");
      tokens.refreshed(token, response);
      return response;
    },
    async authorizationRequest(client, change) {
      const built = await connection.authorizationRequest(client, client.scopes, change);
      return "refusedBy" in built ? built : resultOrEnd(built, NO_REQUEST);
    },
    pushes: (client) => connection.pushes(client),
    redirectUri: async (client) =>
      new URL(resultOrEnd(await connection.listener(client), NO_REQUEST).redirectUri),
    wait: (ms) => session.wait(ms),
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
  return { probe, used };
}

const NO_REQUEST = "no authorization request could be made";

function noToken({ name, flow }: Client): string {
  return `the client ${name} got no token by ${flow}`;
}

/** A result, or the end of the case. */
function resultOrEnd<T extends object>(result: T | Failed, otherwise: string): T {
  if ("failed" in result) {
    return endCase({ kind: "inconclusive", reason: phrase`${otherwise}: ${result.failed}` });
  }
  return result;
}

/** A client's working flow: the one that returned its first token. It is determined once. */
async function controlOf(session: ServerSession, client: Client): Promise<FlowControl | Failed> {
  const known = session.controls.get(client.name);
  if (known) return known;
  const found = session.tokens
    .get(client)
    .then((token) => ("failed" in token ? token : { client, token }));
  session.controls.set(client.name, found);
  return found;
}

/**
 * Judges whether a flow gave a token. Only a token shows that the client is registered as the profile says, so a
 * refusal proves nothing. An answer that is neither is wrong for every client.
 */
export function gaveToken(client: Client, got: IssuedToken | Failed): Finding {
  if (!("failed" in got)) return { kind: "pass", evidence: { probes: [got.exchange] } };
  const { failed, wrong } = got;
  if (wrong === undefined) {
    return { kind: "inconclusive", reason: phrase`${noToken(client)}: ${failed}` };
  }
  return {
    kind: "fail",
    expected: phrase`JSON with access_token, or with error`,
    actual: phrase`${failed}`,
    evidence: { probes: [wrong] },
  };
}

/** Repeats the flow of a control after the probes that rest on it. */
export async function repeatFlow(
  session: ServerSession,
  { client }: FlowControl,
  label: string,
): Promise<{ exchange: string } | { refused: string; exchange?: string }> {
  session.controls.delete(client.name);
  const got = await session.tokens.fresh(controlId(`${client.name}-${label}`), client);
  return "failed" in got ? { refused: got.failed } : { exchange: got.exchange };
}

/**
 * Judges that a token request was refused: it returned no token, whatever the status.
 * @param expected what should have happened
 */
export function refusal(response: TokenResponse, control: FlowControl, expected: Phrase): Finding {
  const { exchange } = response.answer.reply;
  const evidence: Evidence = { probes: [exchange.id], controls: [control.token.exchange] };
  const actual = phrase`${describeResponse(response)}`;
  if (response.accessToken !== undefined) return { kind: "fail", expected, actual, evidence };
  if (isUnclear(response)) return { kind: "inconclusive", reason: actual, evidence };
  return { kind: "pass", evidence };
}
