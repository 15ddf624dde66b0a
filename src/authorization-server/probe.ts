import type { Operation, OperationId, Scope } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { endCase } from "../probe/case-end.ts";
import type { Evidence, Finding } from "../probe/finding.ts";
import { phrase, type Phrase } from "../probe/phrase.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { AuthorizationChange } from "./authorization-request.ts";
import type { Coded, Connection, ConsentOptions, Failed } from "./connection.ts";
import { describeResponse, type IssuedToken, type IssuedTokens, isUnclear } from "./issued.ts";
import { type KeySet, readKeySet } from "./key-set.ts";
import type { Endpoints } from "./metadata.ts";
import type { ServerAnswer, ServerRequest } from "./origins.ts";
import type { TokenRequestChange, TokenResponse } from "./token-request.ts";

/** A flow that gave a token, beside which a refusal proves something. */
export interface FlowControl {
  readonly client: Client;
  readonly token: IssuedToken;
}

/** A code, and the request that it came of. */
export interface Redeemable extends Coded {
  readonly code: string;
}

/** How an issued token is shown to the receiver. */
export interface Presented {
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/** Finds something out about a client; what it finds belongs to no case. */
export type FindOut<T> = (probe: ServerProbe, client: Client) => Promise<T>;

/** What a rule about the authorization server works with: one case's view of a run. */
export interface ServerProbe {
  readonly target: Target;
  readonly server: AuthorizationServer;
  /** True when a violation has been seen and the case is run again to confirm it. */
  readonly confirming: boolean;
  /** Every answer of the token endpoint so far; for rules of the phase `record`. */
  readonly responses: readonly TokenResponse[];
  /** Every token that was issued so far. */
  readonly issued: readonly IssuedToken[];
  endpoints(): Promise<Endpoints>;
  /** The JWKS, read anew. Ends the case where there is none. */
  keySet(): Promise<KeySet>;
  /** A request that is no part of a flow. */
  send(request: ServerRequest): Promise<ServerAnswer>;
  /** The token that a client has, or a first one. Ends the case where there is none. */
  token(client: Client): Promise<IssuedToken>;
  /** A new token, by a flow of its own. Ends the case where there is none. */
  freshToken(client: Client, scopes?: readonly Scope[]): Promise<IssuedToken>;
  /**
   * The same, as something that is tried: why there is none is told.
   */
  tryToken(client: Client, scopes?: readonly Scope[]): Promise<IssuedToken | Failed>;
  /**
   * A flow of the client that works, before what the case tries and after it. Ends the case where it
   * does not.
   */
  control(client: Client): Promise<FlowControl>;
  /** A token request by client credentials that differs in one thing. */
  clientCredentials(
    client: Client,
    scopes: readonly Scope[],
    change: TokenRequestChange,
  ): Promise<TokenResponse>;
  /** A code of its own, by a good authorization request. Ends the case where none comes. */
  code(client: Client): Promise<Redeemable>;
  /**
   * A code by an authorization request that may differ, as something that is tried.
   * @param options in what the consent differs besides
   */
  tryCode(
    client: Client,
    scopes: readonly Scope[],
    change?: AuthorizationChange,
    options?: Omit<ConsentOptions, "change">,
  ): Promise<Redeemable | Failed>;
  /** Redeems a code by a token request that may differ. */
  exchange(client: Client, coded: Redeemable, change?: TokenRequestChange): Promise<TokenResponse>;
  /** Asks for another token by a refresh token. */
  refresh(
    client: Client,
    refreshToken: string,
    change?: TokenRequestChange,
  ): Promise<TokenResponse>;
  /** The authorization request that a client would send, as a URL, its parameters changed. */
  authorizationUrl(client: Client, change?: AuthorizationChange): Promise<string>;
  /**
   * Waits, without keeping the run from anything else.
   * @throws Interrupted
   */
  wait(ms: number): Promise<void>;
  /** What is found out about a client once in a run, by whichever case asks first. */
  shared<T>(find: FindOut<T>, client: Client): Promise<T>;
  /** The receiver's good request for an operation, with this token in place of another. */
  present(token: IssuedToken, operation: OperationId): Promise<Presented>;
  /** The same with something that has to be refused, which came with a token. */
  presentOther(token: IssuedToken, text: string, operation: OperationId): Promise<Presented>;
}

/** What a run has for every case of this side. */
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
  /** Flows that worked, by client; see `ServerProbe.control`. */
  readonly controls: Map<string, Promise<FlowControl | Failed>>;
  /** What was found out, by who finds it and by client; see `ServerProbe.shared`. */
  readonly found: Map<FindOut<unknown>, Map<string, Promise<unknown>>>;
}

/** Makes the probe for one case, and the set of controls that it leans on. */
export function createServerProbe(
  session: ServerSession,
  name: string,
  confirming: boolean,
): { readonly probe: ServerProbe; readonly used: ReadonlySet<FlowControl> } {
  const { target, server, connection, tokens } = session;
  const used = new Set<FlowControl>();

  const probe: ServerProbe = {
    target,
    server,
    confirming,
    responses: connection.responses,
    issued: tokens.all,
    endpoints: () => connection.endpoints(),
    keySet: async () => had(await readKeySet(connection, name), "the JWKS could not be read"),
    send: (request) => connection.origins.send(name, request),
    token: async (client) => had(await tokens.get(client), noToken(client)),
    freshToken: async (client, scopes) =>
      had(await tokens.fresh(name, client, scopes), noToken(client)),
    tryToken: (client, scopes) => tokens.fresh(name, client, scopes),
    async control(client) {
      const control = had(await controlOf(session, client), noToken(client));
      used.add(control);
      return control;
    },
    clientCredentials: async (client, scopes, change) =>
      had(await connection.clientCredentials(name, client, scopes, change), "nothing was sent"),
    code: async (client) =>
      had(
        await probe.tryCode(client, client.scopes),
        `there was no code for the client ${client.name}`,
      ),
    async tryCode(client, scopes, change, options) {
      const coded = await connection.consent(client, scopes, { ...options, change });
      if ("failed" in coded) return coded;
      const { code, error } = coded.answer;
      if (code !== undefined) return { ...coded, code };
      return {
        failed: `the redirect brought ${error === undefined ? "no code" : `the error ${error.slice(0, 40)}`}`,
      };
    },
    exchange: async (client, { request, code }, change) =>
      had(await connection.exchange(name, client, request, code, change), "nothing was sent"),
    refresh: async (client, refreshToken, change) =>
      had(await connection.refresh(name, client, refreshToken, change), "nothing was sent"),
    async authorizationUrl(client, change) {
      const built = await connection.authorizationRequest(client, client.scopes, change);
      return had(built, "no authorization request could be made").url;
    },
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

function noToken({ name, flow }: Client): string {
  return `the client ${name} got no token by ${flow}`;
}

/** What was had, or the end of the case. */
function had<T extends object>(result: T | Failed, otherwise: string): T {
  if ("failed" in result) {
    return endCase({ kind: "inconclusive", reason: phrase`${otherwise}: ${result.failed}` });
  }
  return result;
}

/** A flow that worked, found out by the first who asks. The first token of a client is one. */
async function controlOf(session: ServerSession, client: Client): Promise<FlowControl | Failed> {
  const known = session.controls.get(client.name);
  if (known) return known;
  const found = session.tokens
    .get(client)
    .then((token) => ("failed" in token ? token : { client, token }));
  session.controls.set(client.name, found);
  return found;
}

/** Goes through the flow of a control again, after the probes that leaned on it. */
export async function repeatFlow(
  session: ServerSession,
  { client }: FlowControl,
  label: string,
): Promise<{ exchange: string } | { refused: string; exchange?: string }> {
  session.controls.delete(client.name);
  const got = await session.tokens.fresh(`control/${client.name}-${label}`, client);
  return "failed" in got ? { refused: got.failed } : { exchange: got.exchange };
}

/**
 * Finds that a token request was refused: no token came of it, whatever the status.
 * @param expected what should have happened, as a phrase
 */
export function refusal(response: TokenResponse, control: FlowControl, expected: Phrase): Finding {
  const { exchange } = response.answer.reply;
  const evidence: Evidence = { probes: [exchange.id], controls: [control.token.exchange] };
  const actual = phrase`${describeResponse(response)}`;
  if (response.accessToken !== undefined) return { kind: "fail", expected, actual, evidence };
  if (isUnclear(response)) return { kind: "inconclusive", reason: actual, evidence };
  return { kind: "pass", evidence };
}
