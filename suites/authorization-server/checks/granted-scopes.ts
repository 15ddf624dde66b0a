import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { TokenResponse } from "../../../src/authorization-server/protocol/token-request.ts";
import { registeredScopes } from "../../../src/authorization-server/rule.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import { type Scope, SCOPES } from "../../../src/contract/operations.ts";
import { endCase, type Evidence, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";

/** The contract's scopes that a client lacks and for which the server has a separate name. */
export function distinctUnregisteredScopes(server: AuthorizationServer, client: Client): Scope[] {
  const { scopes: words } = server;
  const registered = new Set([...registeredScopes(server, client)].map((scope) => words[scope]));
  return unregisteredScopes(server, client).filter((scope) => !registered.has(words[scope]));
}

/** The contract's scopes that a client is not registered for. */
export function unregisteredScopes(server: AuthorizationServer, client: Client): Scope[] {
  const registered = registeredScopes(server, client);
  return SCOPES.filter((scope) => !registered.has(scope));
}

/** Whether a client can request fewer scopes than it has: the server allows it, and has several names for them. */
export function canNarrow(
  { narrowing, scopes: words }: AuthorizationServer,
  { scopes }: Client,
): boolean {
  return narrowing && new Set(scopes.map((scope) => words[scope])).size > 1;
}

/** A token's scopes: by its claim, or else by the response; `undefined` where neither has any. */
export function scopesOfToken(
  { server }: ServerProbe,
  { claims, response }: IssuedToken,
): Set<Scope> | undefined {
  const said = typeof claims["scope"] === "string" ? claims["scope"] : response.scope;
  return said === undefined ? undefined : contractScopes(server, said);
}

/**
 * The contract's scopes of a token, for a case that cannot be judged without them.
 * @throws CaseEnd, inconclusive with this evidence, where neither the token nor the response states them
 */
export function statedScopes(
  probe: ServerProbe,
  token: IssuedToken,
  evidence: Evidence,
): Set<Scope> {
  return scopesOfToken(probe, token) ?? unstated(evidence);
}

/**
 * The contract's scopes of the token in a response, by its claim, or else by the response. A JWT without the claim
 * permits nothing that a receiver could read, and some servers leave the claim out where nothing is granted.
 * @throws CaseEnd, inconclusive with this evidence, where the token cannot be read and they are not stated
 */
export function statedScopesIn(
  { server }: ServerProbe,
  { accessToken, scope, claims }: TokenResponse,
  evidence: Evidence,
): Set<Scope> {
  if (accessToken === undefined) return new Set();
  const said = typeof claims?.["scope"] === "string" ? claims["scope"] : scope;
  if (said === undefined && claims === undefined) return unstated(evidence);
  return contractScopes(server, said ?? "");
}

function unstated(evidence: Evidence): never {
  return endCase(
    Finding.inconclusive(phrase`neither token nor response states the granted scopes`, evidence),
  );
}

/** The contract's scopes in a list of words, by the contract's or the server's names. */
export function contractScopes({ scopes: words }: AuthorizationServer, list: string): Set<Scope> {
  const said = new Set(list.split(" "));
  return new Set(SCOPES.filter((scope) => said.has(scope) || said.has(words[scope])));
}

/** Scopes as text, in the order of the contract, so that equal sets give equal texts. */
export function scopeList(scopes: ReadonlySet<Scope>): string {
  return SCOPES.filter((scope) => scopes.has(scope)).join(" ");
}
