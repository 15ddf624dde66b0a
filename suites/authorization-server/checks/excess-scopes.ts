import { passUnless, undecided, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import { byBasic } from "../../../src/authorization-server/protocol/client-authentication.ts";
import type { TokenRequestChange } from "../../../src/authorization-server/protocol/token-request.ts";
import { isUnclear } from "../../../src/authorization-server/protocol/token-response.ts";
import { clientsOf, registeredScopes } from "../../../src/authorization-server/rule.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import { type Evidence, Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";
import {
  distinctUnregisteredScopes,
  unregisteredScopes,
  statedScopes,
  statedScopesIn,
} from "./granted-scopes.ts";

/**
 * Judges that a client gets no scope that it is not registered for when it requests all of them.
 * Inconclusive where neither token nor response states the granted scopes.
 */
export async function judgeBeyond(probe: ServerProbe, client: Client): Promise<Finding> {
  const lacking = distinctUnregisteredScopes(probe.server, client);
  const control = await probe.control(client);
  const [first = [], ...others] = client.scopes.map((scope) => [scope]);
  // In the middle, because a server may look at the first scope alone, or at the last one.
  const got = await probe.tryToken(client, [...first, ...lacking, ...others.flat()]);
  const controls = [control.exchange];
  if ("failed" in got) {
    if (got.unclear) return Finding.inconclusive(phrase`${got.failed}`);
    return Finding.pass({ probes: [], controls }, phrase`${got.failed}`);
  }
  const evidence: Evidence = { probes: [got.exchange], controls };
  return withoutExcess(lacking, statedScopes(probe, got, evidence), evidence);
}

/** Judges that a client gets no scope that it is not registered for when it requests one of them and nothing else. */
export function judgeBeyondAlone(probe: ServerProbe, client: Client): Promise<Finding> {
  const { scopes: words } = probe.server;
  const alone = distinctUnregisteredScopes(probe.server, client).map((scope) => words[scope]);
  const requests = [...new Set(alone)].map((scope) => ({ parameters: { scope } }));
  return judgeExcess(probe, client, requests);
}

/** Judges that patterns and other spellings do not give scopes that the client is not registered for. */
export async function judgeLookAlikes(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const controls = [control.exchange];
  // A scope that shares its name with one of the client's cannot be distinguished.
  const excessive = new Set(distinctUnregisteredScopes(probe.server, client));
  const probes: string[] = [];
  for (const scope of lookAlikes(probe.server, client)) {
    const response = await probe.clientCredentials(client, [], { parameters: { scope } });
    probes.push(response.exchange);
    const evidence: Evidence = { probes, controls };
    if (isUnclear(response)) return undecided(response, evidence);
    const granted = statedScopesIn(probe, response, evidence);
    const excess = [...granted].filter((one) => excessive.has(one));
    if (excess.length === 0) continue;
    const expected = phrase`no scope that the client is not registered for`;
    const actual = phrase`${excess.join(", ")} was granted to a request for ${scope}`;
    return violation(actual, expected, evidence);
  }
  return Finding.pass({ probes, controls });
}

/** Patterns, prefixes, another case and another separator. Some server has accepted each of them. */
function lookAlikes(server: AuthorizationServer, client: Client): string[] {
  const { scopes: words } = server;
  const lacking = unregisteredScopes(server, client).map((scope) => words[scope]);
  return [
    "*",
    "org:*",
    "org",
    lacking.map((word) => word.toUpperCase()).join(" "),
    [...client.scopes.map((scope) => words[scope]), ...lacking].join(","),
  ];
}

/** Judges a request with one `scope` that the client may have and one not, in both orders. */
export async function judgeRepeated(probe: ServerProbe, client: Client): Promise<Finding> {
  const { scopes: words } = probe.server;
  const [own = "", more = ""] = [
    client.scopes,
    distinctUnregisteredScopes(probe.server, client),
  ].map((scopes) => scopes.map((scope) => words[scope]).join(" "));
  return judgeExcess(probe, client, [
    { parameters: { scope: [own, more] } },
    { parameters: { scope: [more, own] } },
  ]);
}

/** Judges a request in which the client authenticates itself, but names another client in the form. */
export async function judgeMixedIdentity(probe: ServerProbe, client: Client): Promise<Finding> {
  const { server } = probe;
  const other = richerThan(server, client);
  const scope = distinctUnregisteredScopes(server, client)
    .map((one) => server.scopes[one])
    .join(" ");
  return judgeExcess(probe, client, [
    { as: byBasic(client), parameters: { client_id: other?.id ?? "", scope } },
  ]);
}

/** Another client with its own secret that is registered for a scope that this one lacks. */
export function richerThan(server: AuthorizationServer, client: Client): Client | undefined {
  if (client.secret === undefined) return undefined;
  const lacking = distinctUnregisteredScopes(server, client);
  return clientsOf(server, "client_credentials").find(
    (other) =>
      other.id !== client.id && lacking.some((scope) => registeredScopes(server, other).has(scope)),
  );
}

/** Judges that a request without scopes gives none that the client is not registered for. */
export function judgeDefault(probe: ServerProbe, client: Client): Promise<Finding> {
  return judgeExcess(probe, client, [{}]);
}

/** Judges that none of these requests is granted a scope that the client is not registered for. */
async function judgeExcess(
  probe: ServerProbe,
  client: Client,
  changes: readonly TokenRequestChange[],
): Promise<Finding> {
  const control = await probe.control(client);
  const lacking = distinctUnregisteredScopes(probe.server, client);
  const probes: string[] = [];
  const evidence: Evidence = { probes, controls: [control.exchange] };
  for (const change of changes) {
    const response = await probe.clientCredentials(client, [], change);
    probes.push(response.exchange);
    if (isUnclear(response)) return undecided(response, evidence);
    const found = withoutExcess(lacking, statedScopesIn(probe, response, evidence), evidence);
    if (found.kind !== "pass") return found;
  }
  return Finding.pass(evidence);
}

function withoutExcess(
  lacking: readonly Scope[],
  granted: ReadonlySet<Scope>,
  evidence: Evidence,
): Finding {
  const excess = lacking.filter((scope) => granted.has(scope));
  const actual =
    excess.length > 0 ? phrase`${valueFact(excess.join(", "))} was granted` : undefined;
  const expected = phrase`none of ${lacking.join(", ")}, which the client is not registered for`;
  return passUnless(actual, expected, evidence);
}
