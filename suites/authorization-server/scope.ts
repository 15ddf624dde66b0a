import {
  clientsOf,
  CONSENT_TO_PROBES,
  ofServer,
  forEach,
} from "../../src/authorization-server/rule.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";
import {
  judgeBeyond,
  judgeBeyondAlone,
  judgeDefault,
  judgeLookAlikes,
  judgeMixedIdentity,
  judgeRepeated,
  richerThan,
} from "./checks/excess-scopes.ts";
import {
  distinctUnregisteredScopes,
  unregisteredScopes,
  canNarrow,
} from "./checks/granted-scopes.ts";
import { judgeKeptScopes } from "./checks/refreshed-claim.ts";
import {
  judgeNarrow,
  judgeOrder,
  judgeClaim,
  judgeSaid,
  judgeWiderExchange,
  observeGrant,
} from "./checks/requested-scopes.ts";

/** What the cases have in common in which a client asks for scopes that it is not registered for. */
const EXCESS = {
  needs: CONSENT_TO_PROBES,
  requirement: "claims.scope",
  grounds: {
    why: "registering a client with fewer scopes would not limit it",
    source: "contract, Scopes",
  },
} as const;

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.scope",
  title:
    "A token has no scope that its client is not registered for, and the response states a different grant",
  level: "MUST",
  verifies: ["claims.scope", "rfc6749.scope", "rfc6749.scope-said", "rfc6749.refresh"],
  dependsOn: ["authorization-server.claims/format", "authorization-server.claims/scope"],
  cases: ofServer({ endpoint: "token" }, (server) => {
    const services = clientsOf(server, "client_credentials");
    const coded = clientsOf(server, "authorization_code");
    const limited = services.filter((client) => isLimited(server, client));
    const lacking = services.filter((client) => unregisteredScopes(server, client).length > 0);
    return [
      ...forEach(server.clients, ({ flow }) => ({
        appliesTo: (client) => isLimited(server, client),
        id: "beyond",
        title: "A scope that the client is not registered for is not granted",
        ...EXCESS,
        consents: flow === "authorization_code" ? 1 : 0,
        judge: judgeBeyond,
      })),
      ...forEach(limited, {
        id: "beyond-alone",
        title:
          "A scope that the client is not registered for is not granted where it is the only one",
        ...EXCESS,
        judge: judgeBeyondAlone,
      }),
      ...forEach(limited, {
        id: "default",
        title: "A request without scopes gives none that the client is not registered for",
        requirement: "claims.scope",
        grounds: { ...EXCESS.grounds, source: "contract, Scopes; RFC 6749 section 3.3" },
        judge: judgeDefault,
      }),
      ...forEach([...services, ...coded.slice(0, 1)], ({ flow }) => ({
        consents: flow === "authorization_code" ? 1 : 0,
        appliesTo: (client) => canNarrow(server, client),
        id: "narrow",
        title: "A scope that was not requested is not granted",
        level: "SHOULD",
        requirement: "rfc6749.scope",
        grounds: { source: "RFC 6749 section 3.3" },
        judge: judgeNarrow,
      })),
      ...forEach(lacking.slice(0, 1), {
        id: "look-alikes",
        title: "Patterns and other spellings of scopes that the client lacks are not granted",
        ...EXCESS,
        grounds: { ...EXCESS.grounds, source: "RFC 6749 section 3.3" },
        judge: judgeLookAlikes,
      }),
      ...forEach(limited.slice(0, 1), {
        id: "repeated",
        title: "A repeated `scope` parameter gives no scope that the client is not registered for",
        needs: CONSENT_TO_PROBES,
        requirement: "claims.scope",
        grounds: {
          why: "the server would check one value and grant the other",
          source: "RFC 6749 section 3.2",
        },
        judge: judgeRepeated,
      }),
      ...forEach(services.filter((client) => richerThan(server, client)).slice(0, 1), {
        id: "mixed-identity",
        title:
          "A client that names another client in its request gets none of that client's scopes",
        needs: CONSENT_TO_PROBES,
        requirement: "claims.scope",
        grounds: {
          why: "each client could act as any other",
          source: "RFC 6749 section 3.2.1, CVE-2026-118669",
        },
        judge: judgeMixedIdentity,
      }),
      ...forEach(services.filter((client) => canNarrow(server, client)).slice(0, 1), {
        id: "order",
        title: "Scopes are granted in any order of the request",
        level: "SHOULD",
        requirement: "rfc6749.scope",
        grounds: { source: "RFC 6749 section 3.3" },
        judge: judgeOrder,
      }),
      ...forEach(services.slice(0, 1), {
        id: "omitted",
        title: "What is granted to a request without a scope",
        level: "OBSERVE",
        requirement: "rfc6749.scope",
        judge: (probe, client) => observeGrant(probe, client, []),
      }),
      ...forEach(coded.filter((client) => canNarrow(server, client)).slice(0, 1), {
        id: "wider-exchange",
        title: "A scope parameter in the code's token request does not widen the grant",
        needs: CONSENT_TO_PROBES,
        consents: 2,
        requirement: "claims.scope",
        grounds: {
          why: "the client would have scopes without consent",
          source: "RFC 6749 sections 3.2 and 4.1.3",
        },
        judge: judgeWiderExchange,
      }),
      ...services.slice(0, 1).flatMap((client) =>
        client.scopes.flatMap((scope) =>
          forEach([client], {
            id: `alone-${scope.replaceAll(/[:.]/g, "-")}`,
            title: `What is granted to a request for ${scope} only`,
            level: "OBSERVE",
            requirement: "rfc6749.scope",
            judge: (probe) => observeGrant(probe, client, [scope]),
          }),
        ),
      ),
      ...forEach(server.clients, {
        id: "said",
        title: "If the grant differs from the request, the response states the granted scopes",
        requirement: "rfc6749.scope-said",
        grounds: {
          why: "the client could not know what its token permits",
          source: "RFC 6749 sections 3.3 and 5.1",
        },
        phase: "record",
        judge: judgeSaid,
      }),
      ...forEach(server.clients, {
        id: "claim",
        title: "The claim `scope` matches the response's `scope`",
        requirement: "claims.scope",
        // Last, to look at the tokens of every case: for other scopes, of refresh tokens.
        phase: "record",
        judge: judgeClaim,
      }),
      ...forEach(coded, {
        id: "refreshed",
        title: "A token for a refresh token has the scopes of the grant",
        level: "SHOULD",
        // Last, to look at the tokens of every case.
        phase: "record",
        requirement: "rfc6749.refresh",
        grounds: {
          why: "the client would have no access after its first token expires",
          source: "RFC 6749 section 6",
        },
        judge: judgeKeptScopes,
      }),
    ];
  }),
});

/** Whether there is a scope that the client is not registered for and that has a name of its own. */
function isLimited(server: AuthorizationServer, client: Client): boolean {
  return distinctUnregisteredScopes(server, client).length > 0;
}
