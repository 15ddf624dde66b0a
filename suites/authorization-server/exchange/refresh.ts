import { undecided, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import {
  namedOnly,
  withOtherKey,
} from "../../../src/authorization-server/protocol/client-authentication.ts";
import { scopeWords } from "../../../src/authorization-server/protocol/grants.ts";
import type {
  TokenRequestChange,
  TokenResponse,
} from "../../../src/authorization-server/protocol/token-request.ts";
import { isUnclear } from "../../../src/authorization-server/protocol/token-response.ts";
import {
  clientsOf,
  codeClients,
  CONSENT_TO_PROBES,
  forEach,
  type JudgeClient,
  otherClientsThan,
  type ServerCase,
} from "../../../src/authorization-server/rule.ts";
import { refusal } from "../../../src/authorization-server/tokens/flow-control.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import {
  type AuthorizationServer,
  type Client,
  isUnattended,
} from "../../../src/profile/authorization-server.ts";
import { statedScopes, statedScopesIn } from "../checks/granted-scopes.ts";
import { altered, serviceOtherThan } from "./code-exchanges.ts";
import {
  judgeRotation,
  observeRefreshAgain,
  observeRefreshRace,
  refreshable,
  unrefreshed,
} from "./refresh-again.ts";
import { workingOthers } from "./refused-exchanges.ts";
import { refusedInTurn, type WrongRequest } from "./refused-in-turn.ts";
import { byServices, type ChangedRequest, wrongSecrets } from "./wrong-credentials.ts";

// The use of a refresh token, RFC 6749 section 6. Each case obtains its own refresh token with a new
// consent, because a server that notices misuse may revoke the whole grant. A case does not apply where the
// flow returns no refresh token.

/** Judges that a refresh token gives no scope beyond the original grant. */
async function judgeRefreshWider(probe: ServerProbe, client: Client): Promise<Finding> {
  const { server } = probe;
  const [only] = client.scopes;
  const wider = client.scopes.slice(1);
  if (only === undefined || wider.length === 0 || !server.narrowing) {
    return Finding.notApplicable(
      phrase`the client cannot be granted fewer scopes than it is registered for`,
    );
  }
  const original = await refreshable(probe, client, [only]);
  const consented = statedScopes(probe, original, { probes: [original.exchange] });
  const good = await probe.refreshed(original);
  if (good.accessToken === undefined) return unrefreshed(good);
  // Some servers rotate refresh tokens.
  const next = good.refreshToken ?? original.response.refreshToken ?? "";
  const scope = scopeWords(server, client.scopes);
  const response = await probe.refresh(client, next, { parameters: { scope } });
  if (isUnclear(response)) {
    return undecided(response, {
      probes: [response.exchange],
    });
  }
  for (const [one, how] of [
    [good, "a plain request"],
    [response, "a request for all scopes"],
  ] as const) {
    const evidence = { probes: [one.exchange], controls: [original.exchange] };
    const granted = statedScopesIn(probe, one, evidence);
    const excess = wider.filter((name) => granted.has(name) && !consented.has(name));
    if (excess.length === 0) continue;
    const expected = phrase`no scope but ${only}, which was consented to`;
    return violation(phrase`${excess.join(", ")} is granted too, to ${how}`, expected, evidence);
  }
  const evidence = { probes: [response.exchange], controls: [good.exchange] };
  return Finding.pass(evidence);
}

/** Judges that a refresh token is not valid for other clients of the flow, nor for one of the other flow. */
async function judgeRefreshByOther(probe: ServerProbe, client: Client): Promise<Finding> {
  const others = await workingOthers(probe, client);
  const [other] = others;
  if (!other) return Finding.notApplicable(phrase`there is no other client`);
  const control = await probe.control(other);
  const service = serviceOtherThan(probe.server, client);
  const requests = (service ? [...others, service] : others).map((one) => ({
    what: `the client ${one.name}`,
    send: (token: IssuedToken) => refresh(probe, one, token),
  }));
  return refusedRefreshes(probe, client, control, requests);
}

/** Makes the judge of a request that must get no token, although the client's refresh token in it is good. */
function judgeRefreshWith(change: ChangedRequest["change"]): JudgeClient {
  return async (probe, client) => {
    const control = await probe.control(client);
    const token = await refreshable(probe, client);
    const response = await refresh(probe, client, token, await change(client));
    return refusal(response, control);
  };
}

/** Judges that a client cannot use a refresh token with a secret that is not its own. */
async function judgeRefreshWrongly(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const empty = { what: "an empty secret", change: { as: { ...client, secret: "" } } };
  const requests = [...wrongSecrets(client), empty].map(({ what, change }) => ({
    what,
    send: (token: IssuedToken) => refresh(probe, client, token, change),
  }));
  return refusedRefreshes(probe, client, control, requests);
}

/** Judges that what was not issued as a refresh token is none. */
async function judgeUnissued(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const { token, response } = control;
  const requests = [
    {
      what: "an altered refresh token",
      send: ({ response: { refreshToken = "" } }: IssuedToken) =>
        probe.refresh(client, altered(refreshToken)),
    },
    { what: "an empty refresh token", send: () => probe.refresh(client, "") },
    {
      what: "the code as refresh token",
      send: ({ coded }: IssuedToken) => probe.refresh(client, coded?.answer.code ?? ""),
    },
    {
      what: "the access token as refresh token",
      send: (issued: IssuedToken) => probe.refresh(client, issued.token),
    },
  ];
  // A server may give one text for both.
  const apart = token === response.refreshToken ? requests.slice(0, -1) : requests;
  return refusedRefreshes(probe, client, control, apart);
}

/** Judges that none of these requests gets a token for a refresh token of the client. */
function refusedRefreshes(
  probe: ServerProbe,
  client: Client,
  control: IssuedToken,
  requests: readonly WrongRequest<IssuedToken>[],
): Promise<Finding> {
  return refusedInTurn(requests, control, {
    obtain: () => refreshable(probe, client),
    sendGood: (token) => refresh(probe, client, token),
    unattended: isUnattended(client),
  });
}

/** Requests a token with the refresh token that came with another one. */
function refresh(
  probe: ServerProbe,
  client: Client,
  { response: { refreshToken = "" } }: IssuedToken,
  change?: TokenRequestChange,
): Promise<TokenResponse> {
  return probe.refresh(client, refreshToken, change);
}

/** The cases about what a refresh token gives, and to whom, RFC 6749 section 6. Each costs a consent, so one client must do. */
export function refreshCases(server: AuthorizationServer): readonly ServerCase[] {
  const first = clientsOf(server, "authorization_code").slice(0, 1);
  const common = {
    level: "SHOULD",
    needs: CONSENT_TO_PROBES,
    consents: 1,
    requirement: "rfc6749.refresh",
    grounds: { source: "RFC 6749 section 6" },
  } as const;
  const stolen = {
    ...common,
    grounds: { ...common.grounds, why: "an attacker who steals a refresh token could use it" },
  };
  return [
    ...forEach(first, {
      ...common,
      id: "refresh-wider",
      title: "A refresh token gives no scope beyond the original grant",
      grounds: { ...common.grounds, why: "a grant could be widened without consent" },
      judge: judgeRefreshWider,
    }),
    ...forEach(codeClients(server), {
      ...common,
      appliesTo: (client) => otherClientsThan(server, client).length > 0,
      id: "refresh-other-client",
      consents: { least: 1, most: 3 },
      title: "A refresh token is not valid for another client",
      grounds: {
        why: "a client could use what was granted to another",
        source: "RFC 6749 section 6, GHSA-xqxv-4jc2-x56x",
      },
      judge: judgeRefreshByOther,
    }),
    ...forEach(first, {
      ...stolen,
      appliesTo: ({ authentication }) => authentication !== "none",
      id: "refresh-no-authentication",
      dependsOn: byServices(server, "no-secret", "no-assertion"),
      title: "A client that authenticates gets no token for a refresh token alone",
      judge: judgeRefreshWith((client) => ({ credentials: namedOnly(client) })),
    }),
    ...forEach(first, {
      ...stolen,
      appliesTo: ({ authentication }) => authentication.startsWith("client_secret"),
      id: "refresh-wrong-secret",
      dependsOn: byServices(server, "wrong-secret", "empty-secret", "id-as-secret"),
      consents: { least: 1, most: 4 },
      title:
        "A client gets no token for a refresh token with a wrong secret, an empty one or its `client_id`",
      judge: judgeRefreshWrongly,
    }),
    ...forEach(first, {
      ...stolen,
      appliesTo: ({ authentication }) => authentication === "private_key_jwt",
      id: "refresh-wrong-key",
      dependsOn: byServices(server, "wrong-key"),
      title: "A client gets no token for a refresh token with an assertion that another key signed",
      grounds: { ...stolen.grounds, source: "RFC 6749 section 6, RFC 7523 section 3" },
      judge: judgeRefreshWith(async (client) => ({ as: await withOtherKey(client) })),
    }),
    ...forEach(first, {
      ...common,
      id: "refresh-unissued",
      consents: { least: 1, most: 4 },
      title:
        "An altered refresh token, an empty one, the code and the access token are no refresh tokens",
      grounds: {
        ...common.grounds,
        why: "whoever sees an access token, or can make up a refresh token, could get tokens for ever",
      },
      judge: judgeUnissued,
    }),
    ...forEach(codeClients(server), {
      ...common,
      appliesTo: ({ authentication }) => authentication === "none",
      id: "refresh-rotation",
      title: "A refresh token of a client without a secret is replaced when it is used",
      requirement: "rfc9700.refresh",
      grounds: {
        why: "an attacker who steals it could use it for as long as its owner does",
        source: "RFC 9700 section 2.2.2",
      },
      judge: judgeRotation,
    }),
    ...forEach(first, {
      ...common,
      id: "refresh-again",
      title: "Whether a refresh token can be used again",
      level: "OBSERVE",
      grounds: { source: "RFC 9700 section 4.14.2" },
      judge: observeRefreshAgain,
    }),
    ...forEach(first, {
      ...common,
      id: "refresh-race",
      title: "What happens when a refresh token is used twice at the same time",
      level: "OBSERVE",
      grounds: { source: "RFC 9700 section 4.14.2" },
      judge: observeRefreshRace,
    }),
  ];
}
