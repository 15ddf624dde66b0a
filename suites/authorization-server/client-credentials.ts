import { observed, passUnless } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import type { AssertionChange } from "../../src/authorization-server/protocol/client-authentication.ts";
import type { TokenRequestChange } from "../../src/authorization-server/protocol/token-request.ts";
import {
  clientsOf,
  CONSENT_TO_PROBES,
  ofServer,
  forEach,
} from "../../src/authorization-server/rule.ts";
import { gaveToken, refusal } from "../../src/authorization-server/tokens/flow-control.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";
import { OPEN_REQUESTS, WRONG_ASSERTIONS, WRONG_SECRETS } from "./exchange/wrong-credentials.ts";

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.client-credentials",
  title: "Client credentials give a token each time they are presented, and wrong ones give none",
  level: "MUST",
  verifies: [
    "flows.client-credentials",
    "flows.offered",
    "rfc6749.client-credentials",
    "rfc6749.client-authentication",
    "rfc6749.confidential",
    "rfc6749.grants",
  ],
  cases: ofServer({ flow: "client_credentials", endpoint: "token" }, (server) => {
    const clients = clientsOf(server, "client_credentials");
    const refused = { needs: CONSENT_TO_PROBES } as const;
    const withSecret = clients.filter(({ secret }) => secret !== undefined);
    const withKey = clients.filter(({ authentication }) => authentication === "private_key_jwt");
    return [
      ...forEach(clients, {
        id: "token",
        title: "The flow gives a token",
        requirement: "flows.client-credentials",
        judge: async (probe, client) => gaveToken(client, await probe.currentToken(client)),
      }),
      ...forEach(clients, {
        id: "again",
        title: "The flow immediately gives another token",
        requirement: "flows.client-credentials",
        judge: judgeAgain,
      }),
      ...forEach(clients.slice(0, 1), {
        id: "again-expired",
        title: "The flow gives a token that is valid after the first one has expired",
        phase: "waiting",
        requirement: "flows.client-credentials",
        grounds: {
          why: "the client could not go on when its token expires",
          source: "contract, Flows",
        },
        judge: judgeAgainExpired,
      }),
      ...[
        ...WRONG_SECRETS.map((one) => ({ ...one, to: withSecret })),
        ...WRONG_ASSERTIONS.map((one) => ({ ...one, to: withKey })),
      ].flatMap(({ change, every, to, source, ...one }) =>
        forEach(every ? to : to.slice(0, 1), {
          ...refused,
          ...one,
          requirement: "rfc6749.client-authentication",
          grounds: { why: "anybody could act as the client", source },
          judge: async (probe, client) => judgeRefused(probe, client, await change(client)),
        }),
      ),
      ...forEach(
        clients.filter((client) => secretOfAnother(server, client) !== undefined).slice(0, 1),
        {
          ...refused,
          id: "other-secret",
          title: "The secret of another client gives no token",
          requirement: "rfc6749.client-authentication",
          grounds: { why: "each client could act as any other", source: "RFC 6749 section 3.2.1" },
          judge: (probe, client) =>
            judgeRefused(probe, client, {
              as: { ...client, secret: secretOfAnother(server, client) },
            }),
        },
      ),
      ...withKey
        .flatMap((client) => {
          const other = otherWithKey(server, client);
          return other ? [{ client, other }] : [];
        })
        .slice(0, 1)
        .flatMap(({ client, other }) =>
          ASSERTIONS_BY_ANOTHER.flatMap(({ assertion, source, ...one }) =>
            forEach([client], {
              ...refused,
              ...one,
              requirement: "rfc6749.client-authentication",
              grounds: { why: "each client could act as any other", source },
              judge: (probe) =>
                judgeRefused(probe, client, {
                  as: { ...client, key: other.key },
                  assertion: assertion(other),
                }),
            }),
          ),
        ),
      // A client with a working flow is needed, or a refusal proves nothing.
      ...clients.slice(0, 1).flatMap((service) =>
        forEach(forConsentAlone(server), ({ authentication }) => ({
          ...refused,
          id: "unregistered-grant",
          title:
            "A client that is registered for the code flow only gets no token by client credentials",
          level: "SHOULD",
          requirement: "rfc6749.grants",
          grounds: { why: "it could act without consent", source: "RFC 6749 section 5.2" },
          ...(authentication === "none" && PUBLIC),
          judge: (probe, client) => judgeRefused(probe, client, {}, service),
        })),
      ),
      ...OPEN_REQUESTS.flatMap(({ change, source, ...one }) =>
        forEach(withSecret.slice(0, 1), {
          ...refused,
          ...one,
          level: "OBSERVE",
          requirement: "rfc6749.client-credentials",
          grounds: { source },
          judge: async (probe, client) => observe(probe, client, await change(client)),
        }),
      ),
      ...OTHER_GRANTS.flatMap(({ grant, source, ...one }) =>
        forEach(clients.slice(0, 1), {
          ...refused,
          ...one,
          level: "SHOULD",
          requirement: "rfc6749.grants",
          grounds: { source },
          judge: (probe, client) =>
            judgeRefused(probe, client, { parameters: { grant_type: grant } }),
        }),
      ),
    ];
  }),
});

/** Assertions that name the client and are signed by the key of another one. */
const ASSERTIONS_BY_ANOTHER = [
  {
    id: "other-key",
    title: "An assertion that names the client, signed by another client's key, gives no token",
    source: "RFC 6749 section 3.2.1, RFC 7523 section 3",
    assertion: (): AssertionChange => ({}),
  },
  {
    id: "other-issuer",
    title: "Another client's assertion whose `sub` names the client gives no token",
    source: "RFC 6749 section 3.2.1, RFC 7523 section 3",
    assertion: ({ id }: Client): AssertionChange => ({ issuer: id }),
  },
] as const;

/** Values of `grant_type` that are no grant. */
const OTHER_GRANTS = [
  {
    id: "unknown-grant",
    title: "An unknown grant gives no token",
    source: "RFC 6749 section 5.2",
    grant: "conformance",
  },
  {
    id: "missing-grant",
    title: "A request without `grant_type` gives no token",
    source: "RFC 6749 section 4.4.2",
    grant: undefined,
  },
  {
    id: "grant-case",
    title: "A grant in another case gives no token",
    source: "RFC 6749 section 1.9",
    grant: "Client_Credentials",
  },
] as const;

async function judgeAgain(probe: ServerProbe, client: Client): Promise<Finding> {
  const first = await probe.token(client);
  const got = await probe.tryToken(client);
  if (!("failed" in got)) return Finding.pass({ probes: [got.exchange] });
  if (got.unclear) return Finding.inconclusive(phrase`${got.failed}`);
  const expected = phrase`another access token for the same request`;
  const evidence = { probes: [], controls: [first.exchange] };
  return { kind: "fail", expected, actual: phrase`${got.failed}`, evidence };
}

/** Judges that a cache does not give a token that is over. Waits for the expiry at most as long as the profile allows. */
async function judgeAgainExpired(probe: ServerProbe, client: Client): Promise<Finding> {
  const first = await probe.token(client);
  const seconds = Number(first.claims["exp"]) - Number(first.claims["iat"]);
  const { waitSeconds } = probe.server;
  if (!(seconds > 0 && seconds <= waitSeconds)) {
    return Finding.notApplicable(
      phrase`the token does not expire within \`authorizationServer.waitSeconds\`, ${waitSeconds}`,
    );
  }
  // One second more, because a cache may be about to forget the token.
  await probe.wait(first.issuedAtMs + (seconds + 1) * 1000 - Date.now());
  const next = await probe.freshToken(client);
  const evidence = { probes: [next.exchange], controls: [first.exchange] };
  const isSame = next.claims["exp"] === first.claims["exp"];
  const actual = isSame ? phrase`its \`exp\` is that of the first one` : undefined;
  return passUnless(actual, phrase`a token that expires later`, evidence);
}

/** @param shows the client whose token shows that the flow works; default: the same client */
async function judgeRefused(
  probe: ServerProbe,
  client: Client,
  change: TokenRequestChange,
  shows = client,
): Promise<Finding> {
  const { id, secret } = change.as ?? {};
  if (secret !== undefined && secret === client.secret && id === client.id) {
    return Finding.notApplicable(phrase`the changed secret is the client's own`);
  }
  const control = await probe.control(shows);
  const response = await probe.clientCredentials(client, client.scopes, change);
  return refusal(response, control);
}

async function observe(
  probe: ServerProbe,
  client: Client,
  change: TokenRequestChange,
): Promise<Finding> {
  await probe.control(client);
  return observed(await probe.clientCredentials(client, client.scopes, change));
}

/** The clients that the profile names for the code flow and not for client credentials. */
function forConsentAlone(server: AuthorizationServer): Client[] {
  const services = new Set(clientsOf(server, "client_credentials").map(({ id }) => id));
  return clientsOf(server, "authorization_code").filter(({ id }) => !services.has(id));
}

/** A client without a secret: anybody could send its request. */
const PUBLIC = {
  level: "MUST",
  title: "A client without a secret gets no token by client credentials",
  requirement: "rfc6749.confidential",
  grounds: { why: "it could act without consent", source: "RFC 6749 section 4.4" },
} as const;

function otherWithKey({ clients }: AuthorizationServer, { id, key }: Client): Client | undefined {
  // One client may have two entries in the profile, and two clients may share a key.
  return clients.find(
    (other) => other.id !== id && other.key && publicPart(other.key) !== publicPart(key ?? {}),
  );
}

function publicPart({ n, x }: NonNullable<Client["key"]>): unknown {
  return n ?? x;
}

/** A secret of another client that differs from this client's. */
function secretOfAnother(
  { clients }: AuthorizationServer,
  { id, secret, authentication }: Client,
): string | undefined {
  if (!authentication.startsWith("client_secret")) return undefined;
  // One client may have two secrets.
  return clients
    .filter((other) => other.id !== id)
    .map((other) => other.secret)
    .find((one) => one !== undefined && one !== secret);
}
