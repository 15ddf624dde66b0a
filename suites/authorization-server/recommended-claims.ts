import { clientOf, defineServerRule, forEach } from "../../src/authorization-server/rule.ts";
import { endCase } from "../../src/probe/case-end.ts";
import type { Evidence } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";

export const rule: Rule = defineServerRule({
  id: "authorization-server.recommended-claims",
  title: "Issued tokens state their flow and their organization",
  level: "SHOULD",
  verifies: ["claims.grant-type", "claims.org-id"],
  dependsOn: ["authorization-server.claims/format"],
  cases: (server) => [
    ...forEach(server.clients, {
      id: "grant-type",
      title: "`grant_type` names the flow",
      endpoint: "token",
      requirement: "claims.grant-type",
    }),
    ...forEach(
      server.clients.filter(({ organization }) => organization !== undefined),
      {
        id: "binding",
        title: "A client with an organization gets the binding claim",
        endpoint: "token",
        needs: ["claimsNamespace"],
        requirement: "claims.org-id",
      },
    ),
  ],
  async probe(probe, testCase) {
    const client = clientOf(probe.server, testCase);
    const { claims, unreadable, exchange } = await probe.token(client);
    const evidence: Evidence = { probes: [exchange] };
    if (unreadable !== undefined) {
      return endCase({
        kind: "inconclusive",
        reason: phrase`the token cannot be read: ${unreadable}`,
      });
    }
    if (testCase.id.startsWith("grant-type@")) {
      const { grant_type: said } = claims;
      if (said === client.flow) return { kind: "pass", evidence };
      const actual =
        said === undefined
          ? phrase`it is absent`
          : phrase`it is ${valueFact(JSON.stringify(said).slice(0, 80))}`;
      return { kind: "fail", expected: phrase`grant_type is ${client.flow}`, actual, evidence };
    }
    const { bindingClaim = "" } = probe.target;
    if (bindingClaim in claims) return { kind: "pass", evidence };
    const nested = Object.keys(claims).some((name) => bindingClaim.startsWith(`${name}.`));
    const plain = "org_id" in claims ? ", but there is one called org_id" : "";
    const hint = nested
      ? ", but there is a nested object: the dots in its name must be escaped"
      : plain;
    const expected = phrase`the claim ${bindingClaim} is present`;
    return { kind: "fail", expected, actual: phrase`it is absent${hint}`, evidence };
  },
});
