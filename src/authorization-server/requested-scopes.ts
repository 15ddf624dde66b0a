import type { Scope } from "../contract/operations.ts";
import { endCase } from "../probe/case-end.ts";
import type { Evidence, Finding } from "../probe/finding.ts";
import { listFact, phrase, type Phrase, valueFact } from "../probe/phrase.ts";
import type { Client } from "../profile/authorization-server.ts";
import { furtherTokens } from "./further-tokens.ts";
import {
  contractScopes,
  scopesOfToken,
  scopeList,
  statedScopes,
  statedScopesIn,
} from "./granted-scopes.ts";
import type { ServerProbe } from "./probe.ts";
import { describeResponse, isUnclear } from "./token-response.ts";

/** Judges that a request for one scope is granted no other scope. */
export async function judgeNarrow(probe: ServerProbe, client: Client): Promise<Finding> {
  const [only = "org:read"] = client.scopes;
  const got = await probe.tryToken(client, [only]);
  if ("failed" in got) return { kind: "inconclusive", reason: phrase`${got.failed}` };
  const evidence: Evidence = { probes: [got.exchange] };
  const grant = statedScopes(probe, got, evidence);
  const { scopes: words } = probe.server;
  const excess = [...grant].filter((scope) => words[scope] !== words[only]);
  if (excess.length === 0) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`${only}, and no other scope of the contract`,
    actual: phrase`${valueFact(excess.join(", "))} was granted too; if that is by design, set authorizationServer.narrowing to false`,
    evidence,
  };
}

/** Judges that a request for all scopes in reverse order has the usual grant. */
export async function judgeOrder(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const words = [...new Set(client.scopes.map((scope) => probe.server.scopes[scope]))];
  const parameters = { scope: words.toReversed().join(" ") };
  const response = await probe.clientCredentials(client, client.scopes, { parameters });
  const evidence = {
    probes: [response.answer.reply.exchange.id],
    controls: [control.token.exchange],
  };
  if (isUnclear(response)) {
    return { kind: "inconclusive", reason: phrase`${describeResponse(response)}`, evidence };
  }
  const wanted = scopeList(statedScopes(probe, control.token, evidence));
  const got = scopeList(statedScopesIn(probe, response, evidence));
  if (got === wanted) return { kind: "pass", evidence };
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
  if (only === undefined)
    return { kind: "not-applicable", reason: phrase`the client has no scope` };
  const plain = await probe.freshToken(client, [only]);
  const usual = statedScopes(probe, plain, { probes: [plain.exchange] });
  const more = client.scopes.filter((scope) => !usual.has(scope));
  if (more.length === 0) {
    return { kind: "not-applicable", reason: phrase`it always grants all scopes` };
  }
  const coded = await probe.tryCode(client, [only]);
  if ("failed" in coded) return { kind: "inconclusive", reason: phrase`${coded.failed}` };
  const words = [...new Set(client.scopes.map((scope) => probe.server.scopes[scope]))];
  const parameters = { scope: words.join(" ") };
  const response = await probe.exchange(client, coded, { parameters });
  const evidence = {
    probes: [response.answer.reply.exchange.id],
    controls: [plain.exchange],
  };
  if (isUnclear(response)) {
    return { kind: "inconclusive", reason: phrase`${describeResponse(response)}`, evidence };
  }
  const granted = statedScopesIn(probe, response, evidence);
  const excess = more.filter((scope) => granted.has(scope));
  if (excess.length === 0) return { kind: "pass", evidence };
  const expected = phrase`only ${only}, which was consented to`;
  return { kind: "fail", expected, actual: phrase`${excess.join(", ")} was granted too`, evidence };
}

/** Observes what is granted to a request for these scopes. */
export async function observeGrant(
  probe: ServerProbe,
  client: Client,
  scopes: readonly Scope[],
): Promise<Finding> {
  const got = await probe.tryToken(client, scopes);
  if ("failed" in got) return { kind: "observed", value: phrase`none: ${got.failed}` };
  const value = [...(scopesOfToken(probe, got) ?? [])];
  return {
    kind: "observed",
    value: value.length > 0 ? phrase`${listFact(value, " ")}` : phrase`no scope of the contract`,
    evidence: { probes: [got.exchange] },
  };
}

/** What is wrong with a claim without a scope of the contract, where the response states no other grant. */
function unknownWords(claim: string): { expected: Phrase; actual: Phrase } {
  return {
    expected: phrase`the claim scope has scopes of the contract, or the response has scope`,
    actual: phrase`the claim is ${valueFact(claim.slice(0, 200))}, without a scope of the contract, and the response has no scope`,
  };
}

/**
 * Judges every token of a client so far. Tokens without a `scope` that is text are left out; where only such tokens
 * are known, the case is inconclusive.
 * @param what `said`: the response states a grant that differs from the request, RFC 6749 section 5.1;
 * `claim`: the claim `scope` matches the response's `scope`
 * @throws CaseEnd where the client gets no token
 */
export async function judgeSaid(
  probe: ServerProbe,
  client: Client,
  what: "said" | "claim",
): Promise<Finding> {
  await furtherTokens(probe, client);
  const { server } = probe;
  let looked = 0;
  for (const token of probe.issued.filter((one) => one.client.name === client.name)) {
    const { claims, response, asked, refreshed, exchange } = token;
    if (typeof claims["scope"] !== "string") continue;
    looked += 1;
    const evidence: Evidence = { probes: [exchange] };
    const claim = scopeList(contractScopes(server, claims["scope"]));
    const wanted = scopeList(
      contractScopes(server, asked.map((scope) => server.scopes[scope]).join(" ")),
    );
    // Without `scope`, the response means that the grant equals the request, RFC 6749 section 5.1.
    if (what === "said") {
      // Without scopes, a request means the server's default or the grant of the refresh token, RFC 6749
      // sections 3.3 and 6. What these are is open.
      if (asked.length === 0 || refreshed) continue;
      if (response.scope !== undefined || claim === wanted) continue;
      if (claim === "") return { kind: "fail", ...unknownWords(claims["scope"]), evidence };
      const expected = phrase`the response has scope, because ${claim} differs from the request`;
      return { kind: "fail", expected, actual: phrase`it has none`, evidence };
    }
    if (response.scope === undefined) continue;
    const said = scopeList(contractScopes(server, response.scope));
    if (said === claim) continue;
    const expected = said
      ? phrase`the claim has ${said}, as the response says`
      : phrase`the claim has none of the contract's scopes, like the response: ${valueFact(response.scope.slice(0, 200))}`;
    return {
      kind: "fail",
      expected,
      // Another separator, or another word for a scope, would not show in the contract's scopes.
      actual: claim
        ? phrase`it has ${valueFact(claim)}`
        : phrase`it has none: ${valueFact(claims["scope"].slice(0, 200))}`,
      evidence,
    };
  }
  if (looked > 0)
    return {
      kind: "pass",
      evidence: {
        probes: probe.issued
          .filter((one) => one.client.name === client.name)
          .map(({ exchange }) => exchange)
          .slice(0, 3),
      },
    };
  return endCase({
    kind: "inconclusive",
    reason: phrase`no token has a readable claim scope`,
  });
}
