import {
  judgeBeyond,
  judgeLookAlikes,
  judgeMixedIdentity,
  judgeRepeated,
  richerThan,
} from "../../src/authorization-server/excess-scopes.ts";
import {
  distinctUnregisteredScopes,
  scopesOfToken,
  unregisteredScopes,
  canNarrow,
} from "../../src/authorization-server/granted-scopes.ts";
import {
  judgeNarrow,
  judgeOrder,
  judgeSaid,
  judgeWiderExchange,
} from "../../src/authorization-server/requested-scopes.ts";
import {
  clientOf,
  clientsOf,
  CONSENT_TO_PROBES,
  defineServerRule,
  forEach,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { listFact, phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";

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
        .filter((client) => distinctUnregisteredScopes(server, client).length > 0)
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
        services.filter((client) => canNarrow(server, client)),
        {
          id: "narrow",
          title: "A scope that was not requested is not granted",
          level: "SHOULD",
          endpoint: "token",
          requirement: "rfc6749.scope",
          source: "RFC 6749 section 3.3",
        },
      ),
      ...forEach(
        services.filter((client) => unregisteredScopes(server, client).length > 0).slice(0, 1),
        {
          id: "look-alikes",
          title: "Patterns and other spellings of scopes that the client lacks are not granted",
          endpoint: "token",
          needs: CONSENT_TO_PROBES,
          requirement: "claims.scope",
          why: "registering a client with fewer scopes would not limit it",
          source: "RFC 6749 section 3.3",
        },
      ),
      ...forEach(
        services
          .filter((client) => distinctUnregisteredScopes(server, client).length > 0)
          .slice(0, 1),
        {
          id: "repeated",
          title:
            "A repeated `scope` parameter gives no scope that the client is not registered for",
          endpoint: "token",
          needs: CONSENT_TO_PROBES,
          requirement: "claims.scope",
          why: "the server would check one value and grant the other",
          source: "RFC 6749 section 3.2",
        },
      ),
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
      ...forEach(services.filter((client) => canNarrow(server, client)).slice(0, 1), {
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
          .filter((client) => canNarrow(server, client))
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
    const value = [...(scopesOfToken(probe, got) ?? [])];
    return {
      kind: "observed",
      value: value.length > 0 ? phrase`${listFact(value, " ")}` : phrase`no scope of the contract`,
      evidence: { probes: [got.exchange] },
    };
  },
});
