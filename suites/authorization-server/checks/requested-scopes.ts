import { passUnless, undecided, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { scopeWords } from "../../../src/authorization-server/protocol/grants.ts";
import {
  describeResponse,
  isBesideTheRequest,
  isUnclear,
} from "../../../src/authorization-server/protocol/token-response.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { type Evidence, Finding } from "../../../src/probe/finding.ts";
import { type Fact, listFact, phrase, type Phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";
import { furtherTokens } from "./further-tokens.ts";
import {
  contractScopes,
  scopesOfToken,
  scopeList,
  statedScopes,
  statedScopesIn,
} from "./granted-scopes.ts";

/** Judges that a request for one scope is granted no other scope. */
export async function judgeNarrow(probe: ServerProbe, client: Client): Promise<Finding> {
  const [only = "org:read"] = client.scopes;
  const got = await probe.tryToken(client, [only]);
  if ("failed" in got) return Finding.inconclusive(phrase`${got.failed}`);
  const evidence: Evidence = { probes: [got.exchange] };
  const grant = statedScopes(probe, got, evidence);
  const { scopes: words } = probe.server;
  const excess = [...grant].filter((scope) => words[scope] !== words[only]);
  if (excess.length === 0) return Finding.pass(evidence);
  const expected = phrase`${only}, and no other scope of the contract`;
  const actual = phrase`${valueFact(excess.join(", "))} was granted too; if that is by design, set \`authorizationServer.narrowing\` to false`;
  return violation(actual, expected, evidence);
}

/** Judges that a request for all scopes in reverse order has the usual grant. */
export async function judgeOrder(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const words = [...new Set(client.scopes.map((scope) => probe.server.scopes[scope]))];
  const parameters = { scope: words.toReversed().join(" ") };
  const response = await probe.clientCredentials(client, client.scopes, { parameters });
  const evidence = { probes: [response.exchange], controls: [control.exchange] };
  if (isBesideTheRequest(response)) {
    return undecided(response, evidence);
  }
  const wanted = scopeList(statedScopes(probe, control, evidence));
  const got = scopeList(statedScopesIn(probe, response, evidence));
  if (got === wanted) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`${wanted}, as in the usual order`,
    actual: phrase`${got || describeResponse(response)}`,
    evidence,
    comparative: true,
  };
}

/**
 * Judges that a scope parameter in the token request of a code does not widen the grant. Consent covers
 * one scope in two flows: one has a plain token request, the other requests all scopes in it.
 */
export async function judgeWiderExchange(probe: ServerProbe, client: Client): Promise<Finding> {
  const [only] = client.scopes;
  if (only === undefined) return Finding.notApplicable(phrase`the client has no scope`);
  const plain = await probe.freshToken(client, [only]);
  const usual = statedScopes(probe, plain, { probes: [plain.exchange] });
  const more = client.scopes.filter((scope) => !usual.has(scope));
  if (more.length === 0) return Finding.notApplicable(phrase`it always grants all scopes`);
  const coded = await probe.tryCode(client, [only]);
  if ("failed" in coded) return Finding.inconclusive(phrase`${coded.failed}`);
  const parameters = { scope: scopeWords(probe.server, client.scopes) };
  const response = await probe.exchange(client, coded, { parameters });
  const evidence = { probes: [response.exchange], controls: [plain.exchange] };
  if (isUnclear(response)) return undecided(response, evidence);
  const granted = statedScopesIn(probe, response, evidence);
  const excess = more.filter((scope) => granted.has(scope));
  const actual = excess.length > 0 ? phrase`${excess.join(", ")} was granted too` : undefined;
  return passUnless(actual, phrase`only ${only}, which was consented to`, evidence);
}

/** Observes what is granted to a request for these scopes. */
export async function observeGrant(
  probe: ServerProbe,
  client: Client,
  scopes: readonly Scope[],
): Promise<Finding> {
  const got = await probe.tryToken(client, scopes);
  if ("failed" in got) return Finding.observed(phrase`none: ${got.failed}`);
  const granted = [...(scopesOfToken(probe, got) ?? [])];
  return Finding.observed(
    granted.length > 0 ? phrase`${listFact(granted, " ")}` : phrase`no scope of the contract`,
    { probes: [got.exchange] },
  );
}

/** A token whose claim `scope` is text. */
interface ScopedToken extends IssuedToken {
  readonly claims: JsonObject & { readonly scope: string };
}

/** What a token or its response should say of its scopes, and what it says; `undefined` where nothing is wrong. */
type FaultOf = (
  server: AuthorizationServer,
  token: ScopedToken,
) => { readonly expected: Phrase; readonly actual: Phrase } | undefined;

/**
 * Judges every token of a client so far. Tokens without a `scope` that is text are left out; where only such tokens
 * are known, the case is inconclusive.
 * @throws CaseEnd where the client gets no token
 */
async function judgeTokens(probe: ServerProbe, client: Client, faultOf: FaultOf): Promise<Finding> {
  await furtherTokens(probe, client);
  const own = probe.issued.filter((one) => one.client.name === client.name);
  const scoped = own.filter(hasScope);
  for (const token of scoped) {
    const fault = faultOf(probe.server, token);
    if (fault) return { kind: "fail", ...fault, evidence: { probes: [token.exchange] } };
  }
  if (scoped.length === 0) return Finding.inconclusive(phrase`no token has a readable claim scope`);
  return Finding.pass({ probes: own.slice(0, 3).map(({ exchange }) => exchange) });
}

function hasScope(token: IssuedToken): token is ScopedToken {
  return typeof token.claims["scope"] === "string";
}

/** Judges that the response states a grant that differs from the request, RFC 6749 section 5.1. */
export function judgeSaid(probe: ServerProbe, client: Client): Promise<Finding> {
  return judgeTokens(probe, client, (server, { claims, response, asked, refreshed }) => {
    // Without scopes, a request means the server's default, RFC 6749 section 3.3. What that is is open.
    if (asked.length === 0) return undefined;
    // Without `scope`, the response means that the grant equals the request, RFC 6749 section 5.1.
    if (response.scope !== undefined) return undefined;
    // The request with a refresh token means the grant that came with it, RFC 6749 section 6.
    const words = refreshed
      ? refreshed.claims["scope"]
      : asked.map((scope) => server.scopes[scope]).join(" ");
    if (typeof words !== "string") return undefined;
    const claim = scopeList(contractScopes(server, claims.scope));
    if (claim === scopeList(contractScopes(server, words))) return undefined;
    const request = refreshed ? "what came with the refresh token" : "the request";
    return claim === ""
      ? {
          expected: phrase`the claim scope has scopes of the contract, or the response has scope`,
          actual: phrase`the claim is ${beginningOf(claims.scope)}, without a scope of the contract, and the response has no scope`,
        }
      : {
          expected: phrase`the response has scope, because ${claim} differs from ${request}`,
          actual: phrase`it has none`,
        };
  });
}

/** Judges that the claim `scope` matches the `scope` of the response. */
export function judgeClaim(probe: ServerProbe, client: Client): Promise<Finding> {
  return judgeTokens(probe, client, (server, { claims, response }) => {
    if (response.scope === undefined) return undefined;
    const claim = scopeList(contractScopes(server, claims.scope));
    const said = scopeList(contractScopes(server, response.scope));
    if (said === claim) return undefined;
    return {
      expected: said
        ? phrase`the claim has ${said}, as the response says`
        : phrase`the claim has none of the contract's scopes, like the response: ${beginningOf(response.scope)}`,
      // Another separator, or another word for a scope, would not show in the contract's scopes.
      actual: claim
        ? phrase`it has ${valueFact(claim)}`
        : phrase`it has none: ${beginningOf(claims.scope)}`,
    };
  });
}

function beginningOf(text: string): Fact {
  return valueFact(text.slice(0, 200));
}
