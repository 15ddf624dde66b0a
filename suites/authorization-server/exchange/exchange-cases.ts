import {
  clientsOf,
  codeClients,
  CONSENT_TO_PROBES,
  everyCodeClient,
  forEach,
  otherClientsThan,
  type ServerCase,
} from "../../../src/authorization-server/rule.ts";
import type { AuthorizationServer } from "../../../src/profile/authorization-server.ts";
import {
  CODE_EXCHANGES,
  judgeExchange,
  judgeMixedClient,
  judgeServiceClient,
  mixableWith,
  serviceOtherThan,
} from "./code-exchanges.ts";
import {
  MOST_CONSENTS,
  judgeAlmostRedirects,
  judgeOtherClients,
  judgeWrongSecrets,
} from "./refused-exchanges.ts";
import { byServices } from "./wrong-credentials.ts";

/** What the cases have in common. */
const REFUSED = { endpoint: "token", needs: CONSENT_TO_PROBES, consents: 1 } as const;

/** Who may redeem a code, and how, RFC 6749 section 4.1.3. */
export function exchangeCases(server: AuthorizationServer): readonly ServerCase[] {
  const first = clientsOf(server, "authorization_code").slice(0, 1);
  const kinds = codeClients(server);
  return [
    ...CODE_EXCHANGES.flatMap(
      ({ appliesTo = () => true, every = false, services = [], change, ...one }) =>
        forEach((every ? everyCodeClient(server) : kinds).filter(appliesTo), {
          ...REFUSED,
          ...one,
          dependsOn: byServices(server, ...services),
          judge: (probe, client) => judgeExchange(probe, client, change),
        }),
    ),
    ...forEach(kinds, {
      ...REFUSED,
      id: "redirect-almost",
      title:
        "A redirect URI that is almost that of the authorization request, or empty, gives no token",
      source: "RFC 6749 section 4.1.3",
      why: "a code that was redirected to an attacker could be redeemed",
      requirement: "rfc6749.code-bound",
      consents: { least: 1, most: MOST_CONSENTS.redirects },
      judge: judgeAlmostRedirects,
    }),
    ...forEach(
      // A secret that everybody knows may be the one of a single client.
      everyCodeClient(server).filter(({ authentication }) =>
        authentication.startsWith("client_secret"),
      ),
      {
        ...REFUSED,
        id: "wrong-secret",
        dependsOn: byServices(server, "wrong-secret", "other-method", "id-as-secret"),
        title:
          "A client gets no token with a wrong secret, by either method, or with its client_id",
        source: "RFC 6749 section 4.1.3",
        why: "an attacker who steals a code could redeem it",
        requirement: "rfc6749.client-authentication",
        consents: { least: 1, most: MOST_CONSENTS.secrets },
        judge: judgeWrongSecrets,
      },
    ),
    ...forEach(
      kinds.filter((client) => otherClientsThan(server, client).length > 0),
      {
        ...REFUSED,
        id: "other-client",
        title: "Another client gets no token for the code",
        consents: { least: 1, most: MOST_CONSENTS.clients },
        source: "RFC 6749 section 4.1.3",
        why: "a client could use what was granted to another",
        requirement: "rfc6749.code-bound",
        judge: judgeOtherClients,
      },
    ),
    ...forEach(
      first.filter((client) => serviceOtherThan(server, client)),
      {
        ...REFUSED,
        id: "service-client",
        title: "A client of the client credentials flow gets no token for the code",
        source: "RFC 6749 section 4.1.3",
        why: "a client could use what was granted to another",
        requirement: "rfc6749.code-bound",
        judge: judgeServiceClient,
      },
    ),
    ...forEach(
      first.filter((client) => mixableWith(server, client)),
      {
        ...REFUSED,
        id: "mixed-client",
        title: "Another client that names the code's client in its request gets no token",
        source: "RFC 6749 section 4.1.3, CVE-2026-118669",
        why: "a client could use what was granted to another",
        requirement: "rfc6749.code-bound",
        judge: judgeMixedClient,
      },
    ),
  ];
}
