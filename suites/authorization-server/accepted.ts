import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import {
  clientsOf,
  forEach,
  ofServer,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import {
  hasClaim,
  isOver,
  type IssuedToken,
} from "../../src/authorization-server/tokens/issued.ts";
import {
  OPERATION_IDS,
  type OperationId,
  OPERATIONS,
  SCOPES,
} from "../../src/contract/operations.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { AuthorizationServer, Client } from "../../src/profile/authorization-server.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { isDeniedClient } from "../../src/tokens/issuing-clients.ts";
import { judgeExpired } from "./checks/expired-token.ts";
import { refreshFirst } from "./checks/further-tokens.ts";
import { judgeNotAccess, judgeOtherIssuersKey, NOT_ACCESS_TOKENS } from "./checks/not-access.ts";

/** Statuses that are about the request rather than the token. */
const ABOUT_THE_REQUEST = new Set([400, 406, 409, 412, 415, 422, 428]);

/** Each of their tokens takes one of the few accepted writes of an operation. */
const MOST_WRITERS = 2;

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.accepted",
  title: "The receiver accepts issued tokens within their scopes and organization",
  level: "MUST",
  verifies: [
    "service.own-authorization-server",
    "service.authenticated",
    "checks.signature",
    "checks.expiry",
    "rfc8725.issuer",
  ],
  dependsOn: [
    "authorization-server.claims",
    "authorization-server.keys/found",
    // Many libraries refuse a whole set of keys because of one.
    "authorization-server.keys/private",
    "authorization-server.keys/symmetric",
    "routes.reachable",
  ],
  cases: ofServer({}, (server, facts) => [
    ...server.clients.flatMap((client) =>
      OPERATION_IDS.filter(
        (id) => facts.operations[id] && client.scopes.includes(OPERATIONS[id].scope),
      ).map((operation) => ({
        id: `${client.name}@${operation}`,
        title: `The token of the client ${client.name} is accepted`,
        client: client.name,
        operation,
        inapplicable: writersOf(operation, server, facts).includes(client)
          ? undefined
          : "a run makes few accepted writes, and tokens of two other clients are tried",
        requirement: "service.own-authorization-server",
        grounds: { why: "nobody could use the service with the tokens that it issues" },
        judge: async (probe: ServerProbe) =>
          judgeAccepted(probe, client, operation, await probe.token(client)),
      })),
    ),
    ...clientsOf(server, "authorization_code").flatMap((client) =>
      // The contract leaves open what a list shows to a bound token.
      readsOf(client, facts)
        .toSorted((a, b) => Number(OPERATIONS[b].organization) - Number(OPERATIONS[a].organization))
        .slice(0, 1)
        .flatMap((operation) =>
          forEach([client], {
            id: "refreshed",
            title: "The token that a refresh token gives is accepted",
            operation,
            phase: "record",
            requirement: "service.own-authorization-server",
            grounds: { why: "clients would lose access when their first token expires" },
            judge: (probe) => judgeRefreshed(probe, client, operation),
          }),
        ),
    ),
    ...onOneRead(clientsOf(server, "authorization_code"), facts, (client, operation) =>
      NOT_ACCESS_TOKENS.flatMap((instead) =>
        forEach([client], {
          id: `${instead.id}-as-token`,
          title: instead.title,
          operation,
          requirement: "service.authenticated",
          grounds: {
            why: "something that is not an access token would give access",
            source: "contract, Receiver checks 1, 3 and 5",
          },
          judge: (probe) => judgeNotAccess(probe, client, instead, operation),
        }),
      ),
    ),
    ...onOneRead(clientsOf(server, "client_credentials").slice(0, 1), facts, (client, operation) =>
      forEach([client], {
        id: "expired",
        title: "The receiver refuses a token after it has expired",
        operation,
        phase: "waiting",
        requirement: "checks.expiry",
        grounds: { why: "a token would be valid for ever", source: "contract, Receiver checks 4" },
        judge: (probe) => judgeExpired(probe, client, operation),
      }),
    ),
    ...onOneRead(server.clients.slice(0, 1), facts, (client, operation) =>
      forEach([client], {
        id: "other-issuers-key",
        title: "The receiver refuses a token of this issuer that the test issuer's key signed",
        operation,
        needs: ["testIssuer"],
        requirement: "checks.signature",
        grounds: {
          why: "each trusted issuer could make tokens in the name of all others",
          source: "contract, Receiver checks 1; RFC 8725 §3.8",
        },
        judge: (probe) => judgeOtherIssuersKey(probe, client, operation),
      }),
    ),
  ]),
});

/** The cases of clients on the first read that the scopes of each permit. */
function onOneRead(
  clients: readonly Client[],
  facts: Facts,
  casesOf: (client: Client, operation: OperationId) => readonly ServerCase[],
): ServerCase[] {
  return clients.flatMap((client) =>
    readsOf(client, facts)
      .slice(0, 1)
      .flatMap((operation) => casesOf(client, operation)),
  );
}

/** Judges the token that the client's refresh token gives. */
async function judgeRefreshed(
  probe: ServerProbe,
  client: Client,
  operation: OperationId,
): Promise<Finding> {
  const token = await probe.shared(refreshFirst, client);
  if (!token) return Finding.notApplicable(phrase`no refresh token gave a token`);
  const { exp, iat } = token.claims;
  // One that is over before it begins is good for nothing at any time.
  const wasGood = typeof exp === "number" && typeof iat === "number" && exp > iat;
  if (wasGood && isOver({ claims: token.claims, issuedAtMs: token.issuedAtMs })) {
    return Finding.notApplicable(phrase`the token has expired since`);
  }
  return judgeAccepted(probe, client, operation, token);
}

async function judgeAccepted(
  probe: ServerProbe,
  client: Client,
  operation: OperationId,
  token: IssuedToken,
): Promise<Finding> {
  const { scope } = OPERATIONS[operation];
  const { scope: granted } = token.claims;
  // The token itself says what it permits, not the request.
  const words = typeof granted === "string" ? granted.split(" ") : [];
  if (!SCOPES.some((one) => words.includes(one))) {
    const reason = phrase`the token has no scope of the contract, so no operation can show that it is accepted`;
    // The rule authorization-server.scope judges that a refresh loses the scopes.
    const isLost =
      typeof granted === "string" && typeof token.refreshed?.claims["scope"] === "string";
    return { kind: isLost ? "not-applicable" : "inconclusive", reason };
  }
  if (!words.includes(scope)) return Finding.notApplicable(phrase`the token has no scope ${scope}`);
  const { reply, evidence } = await probe.present(token, operation);
  const actual = describeReply(reply);
  const bound = hasClaim(token, probe.target.bindingClaim ?? "");
  switch (reception(reply)) {
    case "accepted":
      return Finding.pass(evidence);
    case "rejected": {
      if (ABOUT_THE_REQUEST.has(reply.status)) return Finding.inconclusive(actual, evidence);
      // Local policy decides. The contract leaves open what a list shows to a bound token.
      if (isDeniedClient(probe.target, client) && reply.status === 403) {
        return Finding.observed(phrase`${actual}: its subject is the denied one`, evidence);
      }
      if (bound ? !OPERATIONS[operation].organization : reply.status === 403) {
        return Finding.observed(actual, evidence);
      }
      const expected = phrase`a 2xx: the token has the scope, and is for this organization or for all`;
      return { kind: "fail", expected, actual, evidence };
    }
    default:
      return Finding.inconclusive(actual, evidence);
  }
}

/** The clients whose tokens are tried on an operation: all on a read, and on a write first those that cannot read. */
function writersOf(
  operation: OperationId,
  { clients }: AuthorizationServer,
  facts: Facts,
): readonly Client[] {
  const permitted = clients.filter(({ scopes }) => scopes.includes(OPERATIONS[operation].scope));
  if (!OPERATIONS[operation].writes) return permitted;
  const reads = (client: Client): number => Number(readsOf(client, facts).length > 0);
  return permitted.toSorted((a, b) => reads(a) - reads(b)).slice(0, MOST_WRITERS);
}

/** The reads, but of one change, that the client's scopes permit. */
function readsOf({ scopes }: Client, { operations }: Facts): OperationId[] {
  return OPERATION_IDS.filter(
    (id) =>
      operations[id] &&
      !OPERATIONS[id].writes &&
      !OPERATIONS[id].change &&
      scopes.includes(OPERATIONS[id].scope),
  );
}
