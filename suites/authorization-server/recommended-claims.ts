import type { IssuedToken } from "../../src/authorization-server/issued.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import { defineServerRule, forEach } from "../../src/authorization-server/rule.ts";
import { endCase } from "../../src/probe/case-end.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";

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
      judge: judgeGrantType,
    }),
    ...forEach(
      server.clients.filter(({ organization }) => organization !== undefined),
      {
        id: "binding",
        title: "A client with an organization gets the binding claim",
        endpoint: "token",
        needs: ["claimsNamespace"],
        requirement: "claims.org-id",
        judge: judgeBinding,
      },
    ),
  ],
});

async function judgeGrantType(probe: ServerProbe, client: Client): Promise<Finding> {
  const { claims, exchange } = await readable(probe, client);
  const evidence = { probes: [exchange] };
  const { grant_type: said } = claims;
  if (said === client.flow) return { kind: "pass", evidence };
  const actual =
    said === undefined
      ? phrase`it is absent`
      : phrase`it is ${valueFact(JSON.stringify(said).slice(0, 80))}`;
  return { kind: "fail", expected: phrase`grant_type is ${client.flow}`, actual, evidence };
}

async function judgeBinding(probe: ServerProbe, client: Client): Promise<Finding> {
  const { claims, exchange } = await readable(probe, client);
  const evidence = { probes: [exchange] };
  const { bindingClaim = "" } = probe.target;
  if (bindingClaim in claims) return { kind: "pass", evidence };
  const nested = Object.keys(claims).some((name) => bindingClaim.startsWith(`${name}.`));
  const plain = "org_id" in claims ? ", but there is one called org_id" : "";
  const hint = nested
    ? ", but there is a nested object: the dots in its name must be escaped"
    : plain;
  const expected = phrase`the claim ${bindingClaim} is present`;
  return { kind: "fail", expected, actual: phrase`it is absent${hint}`, evidence };
}

/**
 * The client's token.
 * @throws CaseEnd, inconclusive, where it cannot be read
 */
async function readable(probe: ServerProbe, client: Client): Promise<IssuedToken> {
  const token = await probe.token(client);
  const { unreadable } = token;
  return unreadable === undefined
    ? token
    : endCase({ kind: "inconclusive", reason: phrase`the token cannot be read: ${unreadable}` });
}
