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
    title: "The client_id alone gives no token",
    source: "RFC 6749 section 4.4",
    change: ({ id }) => ({ credentials: { headers: [], parameters: { client_id: id } } }),
  },
};

interface Open {
  readonly title: string;
  readonly source: string;
  readonly change: (client: Client) => TokenRequestChange;
}

/** Sends a secret in both ways at once. */
function presentingTwice(client: Client, inForm: string): TokenRequestChange {
  const { credentials } = presenting(
    { ...client, authentication: "client_secret_basic" },
    client.secret ?? "",
  );
  return {
    credentials: { ...credentials, parameters: { client_id: client.id, client_secret: inForm } },
  };
}

/** Requests that only the client must not send. The contract leaves the server's answer open. */
const OPEN: Readonly<Record<string, Open>> = {
  "two-methods": {
    title: "What the server does with a secret that is sent twice, by HTTP Basic and in the form",
    source: "RFC 6749 section 2.3",
    change: (client) => presentingTwice(client, client.secret ?? ""),
  },
  "two-methods-one-wrong": {
    title: "What the server does with the right secret by HTTP Basic and a wrong one in the form",
    source: "RFC 6749 section 2.3",
    change: (client) => presentingTwice(client, `${client.secret ?? ""}x`),
  },
  get: {
    title: "What the server does with a token request by GET, with the secret by HTTP Basic",
    source: "RFC 6749 section 3.2",
    change: (client) => ({
      ...presenting({ ...client, authentication: "client_secret_basic" }, client.secret ?? ""),
      carriedBy: "query",
    }),
  },
  json: {
    title: "What the server does with a token request in JSON",
    source: "RFC 6749 section 4.4.2",
    change: () => ({ carriedBy: "json" }),
  },
  "repeated-grant-type": {
    title: "What the server does with a grant_type that is sent twice",
    source: "RFC 6749 section 3.2",
    change: () => ({ parameters: { grant_type: ["client_credentials", "client_credentials"] } }),
  },
  "repeated-client-id": {
    title: "What the server does with a client_id that is sent twice",
    source: "RFC 6749 section 3.2",
    change: ({ id }) => ({ parameters: { client_id: [id, id] } }),
  },
};

export const rule: Rule = defineServerRule({
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
        title: "The flow immediately gives another token",
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
      // A client with a working flow is needed, or a refusal proves nothing.
      ...forEach(clients.length > 0 ? forConsentAlone(server) : [], {
        ...refused,
        id: "unregistered-grant",
        title:
          "A client that is registered for the code flow only gets no token by client credentials",
        level: "SHOULD",
        source: "RFC 6749 section 5.2",
        requirement: "rfc6749.grants",
        why: "it could act without consent",
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
        title: "An unknown grant gives no token",
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
      return refusal(response, control, phrase`no access token is issued`);
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
      return refusal(response, control, phrase`no access token is issued`);
    }
    if (what === "unregistered-grant") {
      const [service] = clientsOf(probe.server, "client_credentials");
      // The control shows that the flow works for some client.
      const control = await probe.control(service ?? client);
      const response = await probe.clientCredentials(client, client.scopes, {});
      return refusal(response, control, phrase`no access token is issued`);
    }
    if (what === "unknown-grant") {
      const control = await probe.control(client);
      const parameters = { grant_type: "conformance" };
      const response = await probe.clientCredentials(client, client.scopes, { parameters });
      return refusal(response, control, phrase`no access token is issued`);
    }
    const first = what === "again" ? await probe.token(client) : undefined;
    const got = await probe.tryToken(client);
    if ("failed" in got) {
      // Only a token shows that the client is registered as the profile says.
      if (!first || got.unclear) return { kind: "inconclusive", reason: phrase`${got.failed}` };
      const expected = phrase`another access token for the same request`;
      const evidence = { probes: [], controls: [first.exchange] };
      return { kind: "fail", expected, actual: phrase`${got.failed}`, evidence };
    }
    return { kind: "pass", evidence: { probes: [got.exchange] } };
  },
});

/** The clients that the profile names for the code flow and not for client credentials. */
function forConsentAlone(server: AuthorizationServer): Client[] {
  const services = new Set(clientsOf(server, "client_credentials").map(({ id }) => id));
  return clientsOf(server, "authorization_code").filter(({ id }) => !services.has(id));
}

/** A client without a secret: anybody could send its request. */
const PUBLIC = {
  level: "MUST",
  title: "A client without a secret gets no token by client credentials",
  source: "RFC 6749 section 4.4",
  requirement: "rfc6749.confidential",
} as const;

function isPublic(server: AuthorizationServer, one: ServerCase): boolean {
  return clientOf(server, one).authentication === "none";
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
