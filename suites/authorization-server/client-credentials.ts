import { randomBytes } from "node:crypto";

import { presenting } from "../../src/authorization-server/client-authentication.ts";
import { describeResponse } from "../../src/authorization-server/issued.ts";
import { refusal } from "../../src/authorization-server/probe.ts";
import {
  clientOf,
  clientsOf,
  CONSENT_TO_PROBES,
  defineServerRule,
  forEach,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import type { TokenRequestChange } from "../../src/authorization-server/token-request.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";

/** Credentials that are not the client's. */
const WRONG: Readonly<
  Record<string, { title: string; source: string; change: (client: Client) => TokenRequestChange }>
> = {
  "wrong-secret": {
    title: "A wrong secret gives no token",
    source: "RFC 6749 section 4.4.2",
    change: (client) =>
      presenting(
        client,
        randomBytes(client.secret?.length ?? 24)
          .toString("hex")
          .slice(0, client.secret?.length ?? 24),
      ),
  },
  "empty-secret": {
    title: "An empty secret gives no token",
    source: "CVE-2026-73309",
    change: (client) => presenting(client, ""),
  },
  "no-secret": {
    title: "The name of the client alone gives no token",
    source: "RFC 6749 section 4.4",
    change: ({ id }) => ({ credentials: { headers: [], parameters: { client_id: id } } }),
  },
};

interface Open {
  readonly title: string;
  readonly source: string;
  readonly change: (client: Client) => TokenRequestChange;
}

/** Both ways to present a secret at once. */
function presentingTwice(client: Client, inForm: string): TokenRequestChange {
  const { credentials } = presenting(
    { ...client, authentication: "client_secret_basic" },
    client.secret ?? "",
  );
  return {
    credentials: { ...credentials, parameters: { client_id: client.id, client_secret: inForm } },
  };
}

/** Requests that bind the client, and leave to the server what comes of them. */
const OPEN: Readonly<Record<string, Open>> = {
  "two-methods": {
    title: "What comes of a secret that is sent twice, by HTTP Basic and in the form",
    source: "RFC 6749 section 2.3",
    change: (client) => presentingTwice(client, client.secret ?? ""),
  },
  "two-methods-one-wrong": {
    title: "What comes of the right secret by HTTP Basic and a wrong one in the form",
    source: "RFC 6749 section 2.3",
    change: (client) => presentingTwice(client, `${client.secret ?? ""}x`),
  },
  get: {
    title: "What comes of a token request by GET, its secret by HTTP Basic",
    source: "RFC 6749 section 3.2",
    change: (client) => ({
      ...presenting({ ...client, authentication: "client_secret_basic" }, client.secret ?? ""),
      carriedBy: "query",
    }),
  },
  json: {
    title: "What comes of a token request in JSON",
    source: "RFC 6749 section 4.4.2",
    change: () => ({ carriedBy: "json" }),
  },
  "repeated-grant-type": {
    title: "What comes of a grant_type that is sent twice",
    source: "RFC 6749 section 3.2",
    change: () => ({ parameters: { grant_type: ["client_credentials", "client_credentials"] } }),
  },
  "repeated-client-id": {
    title: "What comes of a client_id that is sent twice",
    source: "RFC 6749 section 3.2",
    change: ({ id }) => ({ parameters: { client_id: [id, id] } }),
  },
};

export const rule: Rule = defineServerRule({
  id: "authorization-server.client-credentials",
  title:
    "Client credentials give a token, as often as they are presented, and wrong ones give none",
  level: "MUST",
  verifies: [
    "flows.client-credentials",
    "flows.offered",
    "rfc6749.client-credentials",
    "rfc6749.client-authentication",
    "rfc6749.confidential",
    "rfc6749.grants",
  ],
  cases: (server): readonly ServerCase[] => {
    const clients = clientsOf(server, "client_credentials");
    const refused = { endpoint: "token", needs: CONSENT_TO_PROBES } as const;
    return [
      ...forEach(clients, {
        id: "token",
        title: "The flow gives a token",
        endpoint: "token",
        requirement: "flows.client-credentials",
      }),
      ...forEach(clients, {
        id: "again",
        title: "The flow gives another token at once",
        endpoint: "token",
        requirement: "flows.client-credentials",
      }),
      ...Object.entries(WRONG).flatMap(([id, { title, source }]) =>
        forEach(
          clients.filter(({ secret }) => secret !== undefined),
          {
            id,
            title,
            source,
            endpoint: "token",
            needs: CONSENT_TO_PROBES,
            requirement: "rfc6749.client-authentication",
            why: "anybody could act as the client",
          },
        ),
      ),
      ...forEach(
        clients.filter((client) => secretOfAnother(server, client) !== undefined).slice(0, 1),
        {
          ...refused,
          id: "other-secret",
          title: "The secret of another client gives no token",
          source: "RFC 6749 section 3.2.1",
          requirement: "rfc6749.client-authentication",
          why: "each client could act as any other",
        },
      ),
      // Without a token of its own nothing shows that it would get one.
      ...forEach(clients.length > 0 ? forConsentAlone(server) : [], {
        ...refused,
        id: "unregistered-grant",
        title: "A client that is registered for consent alone gets no token by its credentials",
        level: "SHOULD",
        source: "RFC 6749 section 5.2",
        requirement: "rfc6749.grants",
        why: "it could act without anybody's consent",
      }).map((one) => (isPublic(server, one) ? { ...one, ...PUBLIC } : one)),
      ...Object.entries(OPEN).flatMap(([id, { title, source }]) =>
        forEach(clients.filter(({ secret }) => secret !== undefined).slice(0, 1), {
          ...refused,
          id,
          title,
          source,
          level: "OBSERVE",
          requirement: "rfc6749.client-credentials",
        }),
      ),
      ...forEach(clients.slice(0, 1), {
        ...refused,
        id: "unknown-grant",
        title: "A grant that nobody knows gives no token",
        level: "SHOULD",
        source: "RFC 6749 section 5.2",
        requirement: "rfc6749.grants",
      }),
    ];
  },
  async probe(probe, testCase) {
    const client = clientOf(probe.server, testCase);
    const [what = ""] = testCase.id.split("@");
    const wrong = WRONG[what];
    if (wrong) {
      const control = await probe.control(client);
      const response = await probe.clientCredentials(client, client.scopes, wrong.change(client));
      return refusal(response, control, phrase`no access token comes of it`);
    }
    const open = OPEN[what];
    if (open) {
      await probe.control(client);
      const response = await probe.clientCredentials(client, client.scopes, open.change(client));
      const evidence = { probes: [response.answer.reply.exchange.id] };
      return { kind: "observed", value: phrase`${describeResponse(response)}`, evidence };
    }
    if (what === "other-secret") {
      const control = await probe.control(client);
      const change = presenting(client, secretOfAnother(probe.server, client) ?? "");
      const response = await probe.clientCredentials(client, client.scopes, change);
      return refusal(response, control, phrase`no access token comes of it`);
    }
    if (what === "unregistered-grant") {
      const [service] = clientsOf(probe.server, "client_credentials");
      // That the flow works for some client is what its refusal for this one is held against.
      const control = await probe.control(service ?? client);
      const response = await probe.clientCredentials(client, client.scopes, {});
      return refusal(response, control, phrase`no access token comes of it`);
    }
    if (what === "unknown-grant") {
      const control = await probe.control(client);
      const parameters = { grant_type: "conformance" };
      const response = await probe.clientCredentials(client, client.scopes, { parameters });
      return refusal(response, control, phrase`no access token comes of it`);
    }
    const first = what === "again" ? await probe.token(client) : undefined;
    const got = await probe.tryToken(client);
    if ("failed" in got) {
      // Whether the client is registered as the profile says is shown by a token alone.
      if (!first || got.unclear) return { kind: "inconclusive", reason: phrase`${got.failed}` };
      const expected = phrase`another access token, by the same request`;
      const evidence = { probes: [], controls: [first.exchange] };
      return { kind: "fail", expected, actual: phrase`${got.failed}`, evidence };
    }
    return { kind: "pass", evidence: { probes: [got.exchange] } };
  },
});

/** The clients that the profile names for consent, and nowhere for client credentials. */
function forConsentAlone(server: AuthorizationServer): Client[] {
  const services = new Set(clientsOf(server, "client_credentials").map(({ id }) => id));
  return clientsOf(server, "authorization_code").filter(({ id }) => !services.has(id));
}

/** A client without a secret: nobody could tell who asks. */
const PUBLIC = {
  level: "MUST",
  title: "A client without a secret gets no token by client credentials",
  source: "RFC 6749 section 4.4",
  requirement: "rfc6749.confidential",
} as const;

function isPublic(server: AuthorizationServer, one: ServerCase): boolean {
  return clientOf(server, one).authentication === "none";
}

/** A secret that some client has, and this one has not. */
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
