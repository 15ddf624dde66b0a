import { presenting } from "../../src/authorization-server/client-authentication.ts";
import {
  describeResponse,
  type IssuedToken,
  isUnclear,
} from "../../src/authorization-server/issued.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import {
  clientOf,
  clientsOf,
  CONSENT_TO_PROBES,
  defineServerRule,
  forEach,
  registeredScopes,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import type {
  TokenRequestChange,
  TokenResponse,
} from "../../src/authorization-server/token-request.ts";
import { type Scope, SCOPES } from "../../src/contract/operations.ts";
import { endCase } from "../../src/probe/case-end.ts";
import type { Evidence, Finding } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";
import { parseToken } from "../../src/tokens/parse.ts";

export const rule: Rule = defineServerRule({
  id: "authorization-server.scope",
  title:
    "A token has no scope that its client is not registered for, and the response states a different grant",
  level: "MUST",
  verifies: ["claims.scope", "rfc6749.scope", "rfc6749.scope-said"],
  dependsOn: ["authorization-server.claims/format", "authorization-server.claims/scope"],
  cases(server): readonly ServerCase[] {
    const services = clientsOf(server, "client_credentials");
    const [service] = services;
    return [
      ...server.clients
        .filter((client) => beyond(server, client).length > 0)
        .flatMap((client) =>
          forEach([client], {
            id: "beyond",
            title: "A scope that the client is not registered for is not granted",
            endpoint: "token",
            needs: CONSENT_TO_PROBES,
            consents: client.flow === "authorization_code" ? 1 : 0,
            requirement: "claims.scope",
            why: "registering a client with fewer scopes would not limit it",
            source: "contract, Scopes",
          }),
        ),
      ...forEach(
        services.filter((client) => narrowable(server, client)),
        {
          id: "narrow",
          title: "A scope that was not requested is not granted",
          level: "SHOULD",
          endpoint: "token",
          requirement: "rfc6749.scope",
          source: "RFC 6749 section 3.3",
        },
      ),
      ...forEach(services.filter((client) => lackedBy(server, client).length > 0).slice(0, 1), {
        id: "look-alikes",
        title: "Patterns and other spellings of scopes that the client lacks are not granted",
        endpoint: "token",
        needs: CONSENT_TO_PROBES,
        requirement: "claims.scope",
        why: "registering a client with fewer scopes would not limit it",
        source: "RFC 6749 section 3.3",
      }),
      ...forEach(services.filter((client) => beyond(server, client).length > 0).slice(0, 1), {
        id: "repeated",
        title: "A repeated `scope` parameter gives no scope that the client is not registered for",
        endpoint: "token",
        needs: CONSENT_TO_PROBES,
        requirement: "claims.scope",
        why: "the server would check one value and grant the other",
        source: "RFC 6749 section 3.2",
      }),
      ...forEach(services.filter((client) => richerThan(server, client)).slice(0, 1), {
        id: "mixed-identity",
        title:
          "A client that names another client in its request gets none of that client's scopes",
        endpoint: "token",
        needs: CONSENT_TO_PROBES,
        requirement: "claims.scope",
        why: "each client could act as any other",
        source: "RFC 6749 section 3.2.1, CVE-2026-118669",
      }),
      ...forEach(services.filter((client) => narrowable(server, client)).slice(0, 1), {
        id: "order",
        title: "Scopes are granted in any order of the request",
        level: "SHOULD",
        endpoint: "token",
        requirement: "rfc6749.scope",
        source: "RFC 6749 section 3.3",
      }),
      ...forEach(services.slice(0, 1), {
        id: "omitted",
        title: "What is granted to a request without a scope",
        level: "OBSERVE",
        endpoint: "token",
        requirement: "rfc6749.scope",
      }),
      ...forEach(
        clientsOf(server, "authorization_code")
          .filter((client) => narrowable(server, client))
          .slice(0, 1),
        {
          id: "wider-exchange",
          title: "A scope parameter in the code's token request does not widen the grant",
          endpoint: "token",
          needs: CONSENT_TO_PROBES,
          consents: 2,
          requirement: "claims.scope",
          why: "the client would have scopes without consent",
          source: "RFC 6749 sections 3.2 and 4.1.3",
        },
      ),
      ...(service?.scopes ?? []).map((scope) => ({
        id: `alone-${scope.replaceAll(/[:.]/g, "-")}@${service?.name}`,
        client: service?.name,
        title: `What is granted to a request for ${scope} only`,
        level: "OBSERVE" as const,
        endpoint: "token",
        requirement: "rfc6749.scope",
      })),
      ...forEach(server.clients, {
        id: "said",
        title: "If the grant differs from the request, the response states the granted scopes",
        endpoint: "token",
        requirement: "rfc6749.scope-said",
        why: "the client could not know what its token permits",
        source: "RFC 6749 sections 3.3 and 5.1",
      }),
      ...forEach(server.clients, {
        id: "claim",
        title: "The claim `scope` matches the response's `scope`",
        endpoint: "token",
        requirement: "claims.scope",
      }),
    ];
  },
  async probe(probe, testCase): Promise<Finding> {
    const client = clientOf(probe.server, testCase);
    const [what = ""] = testCase.id.split("@");
    if (what === "beyond") return judgeBeyond(probe, client);
    if (what === "narrow") return judgeNarrow(probe, client);
    if (what === "look-alikes") return judgeLookAlikes(probe, client);
    if (what === "repeated") return judgeRepeated(probe, client);
    if (what === "mixed-identity") return judgeMixedIdentity(probe, client);
    if (what === "order") return judgeOrder(probe, client);
    if (what === "wider-exchange") return judgeWiderExchange(probe, client);
    if (what === "said" || what === "claim") return judgeSaid(probe, client, what);
    const scope = client.scopes.find((one) => what === `alone-${one.replaceAll(/[:.]/g, "-")}`);
    // The case `omitted` requests no scope.
    const got = await probe.tryToken(client, scope ? [scope] : []);
    if ("failed" in got) return { kind: "observed", value: phrase`none: ${got.failed}` };
    const value = [...(grantOf(probe, got) ?? [])];
    return {
      kind: "observed",
      value: value.length > 0 ? phrase`${listFact(value, " ")}` : phrase`no scope of the contract`,
      evidence: { probes: [got.exchange] },
    };
  },
});

/** The contract's scopes that a client lacks and for which the server has a separate name. */
function beyond(server: AuthorizationServer, client: Client): Scope[] {
  const { scopes: words } = server;
  const registered = new Set([...registeredScopes(server, client)].map((scope) => words[scope]));
  return lackedBy(server, client).filter((scope) => !registered.has(words[scope]));
}

/** The contract's scopes that a client is not registered for. */
function lackedBy(server: AuthorizationServer, client: Client): Scope[] {
  const registered = registeredScopes(server, client);
  return SCOPES.filter((scope) => !registered.has(scope));
}

function narrowable(
  { narrowing, scopes: words }: AuthorizationServer,
  { scopes }: Client,
): boolean {
  return narrowing && new Set(scopes.map((scope) => words[scope])).size > 1;
}

/**
 * The contract's scopes of a token: by its claim, which a receiver reads, or else by the response.
 * `undefined` where neither has scopes.
 */
function grantOf(
  { server }: ServerProbe,
  { claims, response }: IssuedToken,
): Set<Scope> | undefined {
  const said = typeof claims["scope"] === "string" ? claims["scope"] : response.scope;
  return said === undefined ? undefined : contractScopes(server, said);
}

/** The contract's scopes in a list of words, by the contract's or the server's names. */
function contractScopes({ scopes: words }: AuthorizationServer, list: string): Set<Scope> {
  const said = new Set(list.split(" "));
  return new Set(SCOPES.filter((scope) => said.has(scope) || said.has(words[scope])));
}

async function judgeBeyond(probe: ServerProbe, client: Client): Promise<Finding> {
  const lacking = beyond(probe.server, client);
  const control = await probe.control(client);
  const got = await probe.tryToken(client, [...client.scopes, ...lacking]);
  const controls = [control.token.exchange];
  if ("failed" in got) {
    if (got.unclear) return { kind: "inconclusive", reason: phrase`${got.failed}` };
    return { kind: "pass", reason: phrase`${got.failed}`, evidence: { probes: [], controls } };
  }
  const evidence: Evidence = { probes: [got.exchange], controls };
  const grant = grantOf(probe, got);
  if (!grant)
    return {
      kind: "inconclusive",
      reason: phrase`neither token nor response states the granted scopes`,
      evidence,
    };
  const excess = lacking.filter((scope) => grant.has(scope));
  if (excess.length === 0) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`none of ${lacking.join(", ")}, which the client is not registered for`,
    actual: phrase`${valueFact(excess.join(", "))} was granted`,
    evidence,
  };
}

async function judgeNarrow(probe: ServerProbe, client: Client): Promise<Finding> {
  const [only = "org:read"] = client.scopes;
  const got = await probe.tryToken(client, [only]);
  if ("failed" in got) return { kind: "inconclusive", reason: phrase`${got.failed}` };
  const evidence: Evidence = { probes: [got.exchange] };
  const grant = grantOf(probe, got);
  if (!grant)
    return {
      kind: "inconclusive",
      reason: phrase`neither token nor response states the granted scopes`,
      evidence,
    };
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

async function judgeSaid(
  probe: ServerProbe,
  client: Client,
  what: "said" | "claim",
): Promise<Finding> {
  await probe.token(client);
  const { server } = probe;
  let looked = 0;
  for (const token of probe.issued.filter((one) => one.client.name === client.name)) {
    const { claims, response, asked, exchange } = token;
    if (typeof claims["scope"] !== "string") continue;
    looked += 1;
    const evidence: Evidence = { probes: [exchange] };
    const claim = inOrder(contractScopes(server, claims["scope"]));
    const wanted = inOrder(
      contractScopes(server, asked.map((scope) => server.scopes[scope]).join(" ")),
    );
    // Without `scope`, the response means that the grant equals the request, RFC 6749 section 5.1.
    if (what === "said") {
      if (response.scope !== undefined || claim === wanted) continue;
      const expected = phrase`the response has scope, because ${claim || "nothing"} differs from the request`;
      return { kind: "fail", expected, actual: phrase`it has none`, evidence };
    }
    if (response.scope === undefined) continue;
    const said = inOrder(contractScopes(server, response.scope));
    if (said === claim) continue;
    const expected = phrase`the claim has ${said || "none of the contract's scopes"}, as the response says`;
    return {
      kind: "fail",
      expected,
      actual: claim ? phrase`it has ${valueFact(claim)}` : phrase`it has none`,
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

/** Patterns, prefixes, another case and another separator. Some server has accepted each of them. */
function lookAlikes(server: AuthorizationServer, client: Client): string[] {
  const { scopes: words } = server;
  const lacking = lackedBy(server, client).map((scope) => words[scope]);
  return [
    "*",
    "org:*",
    lacking.map((word) => word.toUpperCase()).join(" "),
    [...client.scopes.map((scope) => words[scope]), ...lacking].join(","),
  ];
}

/** Another client with its own secret that is registered for a scope that this one lacks. */
function richerThan(server: AuthorizationServer, client: Client): Client | undefined {
  if (client.secret === undefined) return undefined;
  const lacking = beyond(server, client);
  return clientsOf(server, "client_credentials").find(
    (other) =>
      other.id !== client.id && lacking.some((scope) => registeredScopes(server, other).has(scope)),
  );
}

/** One scope that the client may have and one that it may not, in both orders. */
async function judgeRepeated(probe: ServerProbe, client: Client): Promise<Finding> {
  const { scopes: words } = probe.server;
  const [own = "", more = ""] = [client.scopes, beyond(probe.server, client)].map((scopes) =>
    scopes.map((scope) => words[scope]).join(" "),
  );
  return judgeExcess(probe, client, [
    { parameters: { scope: [own, more] } },
    { parameters: { scope: [more, own] } },
  ]);
}

/** The client authenticates itself, and names another client in the form. */
async function judgeMixedIdentity(probe: ServerProbe, client: Client): Promise<Finding> {
  const { server } = probe;
  const other = richerThan(server, client);
  const basic = { ...client, authentication: "client_secret_basic" } as const;
  const { credentials } = presenting(basic, client.secret ?? "");
  const scope = beyond(server, client)
    .map((one) => server.scopes[one])
    .join(" ");
  return judgeExcess(probe, client, [
    {
      credentials: { ...credentials, parameters: { client_id: other?.id ?? "" } },
      parameters: { scope },
    },
  ]);
}

/** Judges that none of these requests is granted a scope that the client is not registered for. */
async function judgeExcess(
  probe: ServerProbe,
  client: Client,
  changes: readonly TokenRequestChange[],
): Promise<Finding> {
  const control = await probe.control(client);
  const lacking = beyond(probe.server, client);
  const probes: string[] = [];
  const evidence: Evidence = { probes, controls: [control.token.exchange] };
  for (const change of changes) {
    const response = await probe.clientCredentials(client, [], change);
    probes.push(response.answer.reply.exchange.id);
    if (isUnclear(response)) {
      return { kind: "inconclusive", reason: phrase`${describeResponse(response)}`, evidence };
    }
    const granted = scopesIn(probe, response);
    const excess = lacking.filter((scope) => granted.has(scope));
    if (excess.length === 0) continue;
    return {
      kind: "fail",
      expected: phrase`none of ${lacking.join(", ")}, which the client is not registered for`,
      actual: phrase`${valueFact(excess.join(", "))} was granted`,
      evidence,
    };
  }
  return { kind: "pass", evidence };
}

async function judgeLookAlikes(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const controls = [control.token.exchange];
  // A scope that shares its name with one of the client's cannot be distinguished.
  const excessive = new Set(beyond(probe.server, client));
  const probes: string[] = [];
  for (const scope of lookAlikes(probe.server, client)) {
    const response = await probe.clientCredentials(client, [], { parameters: { scope } });
    probes.push(response.answer.reply.exchange.id);
    const evidence: Evidence = { probes, controls };
    if (isUnclear(response)) {
      return { kind: "inconclusive", reason: phrase`${describeResponse(response)}`, evidence };
    }
    const excess = [...scopesIn(probe, response)].filter((one) => excessive.has(one));
    if (excess.length === 0) continue;
    return {
      kind: "fail",
      expected: phrase`no scope that the client is not registered for`,
      actual: phrase`${excess.join(", ")} was granted to a request for ${scope}`,
      evidence,
    };
  }
  return { kind: "pass", evidence: { probes, controls } };
}

async function judgeOrder(probe: ServerProbe, client: Client): Promise<Finding> {
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
  const wanted = inOrder(grantOf(probe, control.token) ?? new Set());
  const got = inOrder(scopesIn(probe, response));
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
 * Consent covers one scope. One flow has a plain token request, the other requests all scopes in it.
 */
async function judgeWiderExchange(probe: ServerProbe, client: Client): Promise<Finding> {
  const [only] = client.scopes;
  if (only === undefined)
    return { kind: "not-applicable", reason: phrase`the client has no scope` };
  const plain = await probe.freshToken(client, [only]);
  const usual = grantOf(probe, plain) ?? new Set<Scope>();
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
  const granted = scopesIn(probe, response);
  const excess = more.filter((scope) => granted.has(scope));
  if (excess.length === 0) return { kind: "pass", evidence };
  const expected = phrase`only ${only}, which was consented to`;
  return { kind: "fail", expected, actual: phrase`${excess.join(", ")} was granted too`, evidence };
}

/** The contract's scopes of the token in a response: by its claim, or else by the response. */
function scopesIn({ server }: ServerProbe, { accessToken, scope }: TokenResponse): Set<Scope> {
  if (accessToken === undefined) return new Set();
  const parsed = parseToken(accessToken);
  const claim = typeof parsed === "string" ? undefined : parsed.claims["scope"];
  return contractScopes(server, typeof claim === "string" ? claim : (scope ?? ""));
}

function inOrder(scopes: ReadonlySet<Scope>): string {
  return SCOPES.filter((scope) => scopes.has(scope)).join(" ");
}
