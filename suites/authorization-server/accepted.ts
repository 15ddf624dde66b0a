import {
  clientOf,
  defineServerRule,
  type ServerCase,
} from "../../src/authorization-server/rule.ts";
import { OPERATION_IDS, OPERATIONS } from "../../src/contract/operations.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import type { Rule } from "../../src/probe/rule.ts";
import { isDeniedClient } from "../../src/tokens/issuing-clients.ts";

/** Answers that speak of the request rather than of the token. */
const ABOUT_THE_REQUEST = new Set([400, 406, 409, 412, 415, 422, 428]);

export const rule: Rule = defineServerRule({
  id: "authorization-server.accepted",
  title: "The receiver accepts issued tokens where their own scopes and organization reach",
  level: "MUST",
  verifies: ["service.own-authorization-server"],
  dependsOn: ["authorization-server.claims", "authorization-server.keys/found", "routes.reachable"],
  cases: (server, target): ServerCase[] =>
    server.clients.flatMap((client) =>
      OPERATION_IDS.filter(
        (id) => target.operations[id] && client.scopes.includes(OPERATIONS[id].scope),
      ).map((operation) => ({
        id: `${client.name}@${operation}`,
        title: `The token of the client ${client.name} is accepted`,
        client: client.name,
        operation,
        requirement: "service.own-authorization-server",
        why: "nobody could use the service by the tokens that it issues",
      })),
    ),
  async probe(probe, testCase): Promise<Finding> {
    const { operation } = testCase;
    const client = clientOf(probe.server, testCase);
    const token = await probe.token(client);
    if (operation === undefined) throw new TypeError("the case has no operation");
    const { scope } = OPERATIONS[operation];
    const { scope: granted } = token.claims;
    // What a token permits is read from the token, never from the request.
    if (typeof granted !== "string" || !granted.split(" ").includes(scope)) {
      return { kind: "not-applicable", reason: phrase`the token has no scope ${scope}` };
    }
    const { reply, evidence } = await probe.present(token, operation);
    const actual = describeReply(reply);
    const bound = (probe.target.bindingClaim ?? "") in token.claims;
    switch (reception(reply)) {
      case "accepted":
        return { kind: "pass", evidence };
      case "rejected": {
        if (ABOUT_THE_REQUEST.has(reply.status))
          return { kind: "inconclusive", reason: actual, evidence };
        // Local policy decides; and what a list shows to a token for one organization is left open.
        if (isDeniedClient(probe.target, client) && reply.status === 403) {
          return {
            kind: "observed",
            value: phrase`${actual}: its subject is the denied one`,
            evidence,
          };
        }
        if (bound ? !OPERATIONS[operation].organization : reply.status === 403) {
          return { kind: "observed", value: actual, evidence };
        }
        const expected = phrase`a 2xx: the token has the scope, and is for this organization or for all`;
        return { kind: "fail", expected, actual, evidence };
      }
      default:
        return { kind: "inconclusive", reason: actual, evidence };
    }
  },
});
