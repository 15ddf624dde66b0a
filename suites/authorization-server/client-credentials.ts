import { randomBytes } from "node:crypto";

import { refusal } from "../../src/authorization-server/probe.ts";
import {
  clientOf,
  clientsOf,
  CONSENT_TO_PROBES,
  defineServerRule,
  forEach,
} from "../../src/authorization-server/rule.ts";
import type { TokenRequestChange } from "../../src/authorization-server/token-request.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";

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
  ],
  cases: (server) => {
    const clients = clientsOf(server, "client_credentials");
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

function presenting({ id, authentication }: Client, secret: string): TokenRequestChange {
  if (authentication === "client_secret_post") {
    return {
      credentials: { headers: [], parameters: { client_id: id, client_secret: secret } },
    };
  }
  const encoded = [id, secret].map((half) => new URLSearchParams({ v: half }).toString().slice(2));
  const value = `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`;
  return { credentials: { headers: [["authorization", value]], parameters: {} } };
}
