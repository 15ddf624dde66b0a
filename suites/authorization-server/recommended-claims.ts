import { passUnless, violation } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import { forEach, ofServer } from "../../src/authorization-server/rule.ts";
import { hasClaim, type IssuedToken } from "../../src/authorization-server/tokens/issued.ts";
import { endCase, Finding } from "../../src/probe/finding.ts";
import { phrase, type Phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";
import { furtherTokens, originOf } from "./checks/further-tokens.ts";

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.recommended-claims",
  title: "Issued tokens state their flow and their organization",
  level: "SHOULD",
  verifies: ["claims.grant-type", "claims.org-id"],
  dependsOn: ["authorization-server.claims/format"],
  cases: ofServer({ endpoint: "token" }, (server) => [
    ...forEach(server.clients, {
      id: "grant-type",
      title: "`grant_type` names the flow",
      requirement: "claims.grant-type",
      judge: judgeGrantType,
    }),
    ...forEach(server.clients, {
      appliesTo: ({ organization }) => organization !== undefined,
      id: "binding",
      title: "A client with an organization gets the binding claim",
      needs: ["claimsNamespace"],
      requirement: "claims.org-id",
      judge: judgeBinding,
    }),
    ...forEach(server.clients, {
      id: "every",
      title: "Every further token of the client states them like the first one",
      // Last, to look at the tokens of every case: for other scopes, of refresh tokens.
      phase: "record",
      requirement: "claims.org-id",
      grounds: {
        why: "without the binding claim a token may act on every organization that its subject can access",
      },
      judge: judgeEvery,
    }),
  ]),
});

async function judgeGrantType(probe: ServerProbe, client: Client): Promise<Finding> {
  const { claims, exchange } = await readable(probe, client);
  const { grant_type: said } = claims;
  const actual = said === client.flow ? undefined : shown(said);
  return passUnless(actual, phrase`\`grant_type\` is ${client.flow}`, { probes: [exchange] });
}

function shown(value: unknown): Phrase {
  return value === undefined
    ? phrase`it is absent`
    : phrase`it is ${valueFact(JSON.stringify(value).slice(0, 80))}`;
}

/** Compares the tokens after the first with the first one, so that no fault is reported twice. */
async function judgeEvery(probe: ServerProbe, client: Client): Promise<Finding> {
  const first = await readable(probe, client);
  const further = await furtherTokens(probe, client);
  const { bindingClaim } = probe.target;
  for (const token of further.filter(({ unreadable }) => unreadable === undefined)) {
    const name =
      first.claims["grant_type"] === client.flow && token.claims["grant_type"] !== client.flow
        ? "grant_type"
        : lostOrFound(first, token, bindingClaim);
    if (name === undefined) continue;
    const actual = phrase`${shown(token.claims[name])}, in ${originOf(token)}`;
    const expected = phrase`${name} as in the client's first token`;
    return violation(actual, expected, { probes: [token.exchange], controls: [first.exchange] });
  }
  const probes = [first, ...further].map(({ exchange }) => exchange).slice(0, 3);
  return Finding.pass({ probes });
}

/** The binding claim, if one of two tokens has it. Whoever consents may choose the organization, so values are not compared. */
function lostOrFound(first: IssuedToken, token: IssuedToken, claim = ""): string | undefined {
  const [before, after] = [hasClaim(first, claim), hasClaim(token, claim)];
  const isUneven = before ? !after : after && isSameRequest(first, token);
  return isUneven ? claim : undefined;
}

/** Whether nobody has chosen an organization in between: the same request by client credentials gave both tokens. */
function isSameRequest(first: IssuedToken, { client, askedWords }: IssuedToken): boolean {
  return client.flow === "client_credentials" && askedWords === first.askedWords;
}

async function judgeBinding(probe: ServerProbe, client: Client): Promise<Finding> {
  const token = await readable(probe, client);
  const { claims } = token;
  const evidence = { probes: [token.exchange] };
  const { bindingClaim = "" } = probe.target;
  if (hasClaim(token, bindingClaim)) return Finding.pass(evidence);
  const nested = Object.keys(claims).some((name) => bindingClaim.startsWith(`${name}.`));
  const plain = "org_id" in claims ? ", but there is one called `org_id`" : "";
  const hint = nested
    ? ", but there is a nested object: the dots in its name must be escaped"
    : plain;
  const actual = phrase`${shown(claims[bindingClaim])}${hint}`;
  return violation(actual, phrase`the claim ${bindingClaim} is present`, evidence);
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
    : endCase(Finding.inconclusive(phrase`the token cannot be read: ${unreadable}`));
}
