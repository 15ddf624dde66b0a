import { observed, passUnless, violation } from "../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import {
  clientsOf,
  CONSENT_TO_PROBES,
  ofServer,
  forEach,
} from "../../src/authorization-server/rule.ts";
import type { IssuedToken } from "../../src/authorization-server/tokens/issued.ts";
import { isSameUuid } from "../../src/contract/uuid.ts";
import { type Evidence, Finding } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";
import { ORGANIZATION_NAMES } from "../shared/mutations/requests.ts";
import { furtherTokens, originOf } from "./checks/further-tokens.ts";
import { judgeKept } from "./checks/refreshed-claim.ts";
import { TOKEN_CHECKS, type TokenCheck } from "./checks/token-checks.ts";

export const rule: Rule = defineRule({
  side: "authorization-server",
  id: "authorization-server.claims",
  title: "Each issued token is a signed JWT with the claims of the contract",
  level: "MUST",
  verifies: [
    "service.own-authorization-server",
    "service.authenticated",
    "checks.signature",
    "binding.claim-name",
    "claims.iss",
    "claims.sub",
    "claims.aud",
    "claims.iat",
    "claims.exp",
    "claims.scope",
    "claims.org-id",
    "rfc7519.numeric-date",
    "rfc7519.iss",
    "rfc7519.sub",
    "rfc7519.aud",
    "rfc7519.exp",
    "rfc7519.iat",
    "rfc7519.jti",
  ],
  cases: ofServer({ endpoint: "token" }, (server) => [
    ...forEach(server.clients, {
      id: "format",
      title: "The access token is a signed JWT",
      requirement: "service.authenticated",
      grounds: { why: "the receiver reads scopes and organization from the token itself" },
      judge: judgeFormat,
    }),
    ...TOKEN_CHECKS.flatMap(({ faultOf, source, ...check }) =>
      forEach(server.clients, {
        ...check,
        grounds: { source },
        judge: (probe, client) => judgeClaims(probe, client, faultOf),
      }),
    ),
    ...forEach(server.clients, {
      id: "subject",
      title: "Whose account the token is of",
      level: "OBSERVE",
      // Last, to compare the tokens of all clients.
      phase: "record",
      requirement: "claims.sub",
      judge: observeSubject,
    }),
    ...forEach(firstAndFirstBound(clientsOf(server, "client_credentials")), {
      id: "requested-binding",
      title: "Whether the binding follows a parameter of the request",
      level: "OBSERVE",
      needs: ["claimsNamespace", ...CONSENT_TO_PROBES],
      requirement: "claims.org-id",
      judge: observeRequestedBinding,
    }),
    ...forEach(server.clients, {
      id: "every",
      title: "Every further token of the client is a signed JWT with these claims",
      // Last, to look at the tokens of every case: for other scopes, of refresh tokens, after an error.
      phase: "record",
      requirement: "service.own-authorization-server",
      grounds: { why: "the receiver must refuse that token" },
      judge: judgeEvery,
    }),
    {
      id: "token-id",
      title: "`jti`, if present, is a string that no other token has",
      level: "SHOULD",
      // Last, to compare the tokens of every case.
      phase: "record",
      requirement: "rfc7519.jti",
      grounds: {
        why: "a receiver that knows tokens by their `jti` takes one for the other",
        source: "RFC 7519 section 4.1.7",
      },
      judge: judgeTokenId,
    },
    ...forEach(clientsOf(server, "authorization_code"), {
      id: "refreshed-subject",
      title: "A token for a refresh token is of the same subject",
      level: "SHOULD",
      phase: "record",
      requirement: "claims.sub",
      grounds: {
        why: "the receiver would apply the policy of another account than the one that consented",
        source: "contract, Token claims; RFC 6749 section 1.5",
      },
      judge: (probe, client) => judgeKept(probe, client, "sub"),
    }),
    ...forEach(clientsOf(server, "authorization_code"), {
      id: "refreshed-organization",
      title: "A token for a refresh token is bound to the same organization",
      level: "SHOULD",
      phase: "record",
      needs: ["claimsNamespace"],
      requirement: "claims.org-id",
      grounds: {
        why: "the token would act on an organization that nobody consented to",
        source: "contract, Binding a token to an organization; RFC 6749 section 1.5",
      },
      judge: (probe, client) => judgeKept(probe, client, probe.target.bindingClaim ?? ""),
    }),
  ]),
});

/** The first client, and the first one that is bound to an organization. */
function firstAndFirstBound(clients: readonly Client[]): Client[] {
  const bound = clients.find(({ organization }) => organization !== undefined);
  return clients.filter((client, at) => at === 0 || client === bound);
}

/** Observes what `sub` names. Whose account a client acts for is the deployment's own affair. */
async function observeSubject(probe: ServerProbe, client: Client): Promise<Finding> {
  const { claims, exchange } = await probe.token(client);
  const { sub } = claims;
  const evidence: Evidence = { probes: [exchange] };
  if (typeof sub !== "string") {
    return Finding.notApplicable(phrase`another case judges a token without \`sub\``);
  }
  const sharing = probe.issued
    .filter((one) => one.client.name !== client.name && one.claims["sub"] === sub)
    .map((one) => one.client.name);
  const whose =
    sub === client.id
      ? "the client itself"
      : sub === client.subject
        ? "the subject of the profile"
        : "another account";
  const others = [...new Set(sharing)].toSorted();
  return Finding.observed(
    others.length === 0
      ? phrase`\`sub\` is ${whose}`
      : phrase`\`sub\` is ${whose}, as for ${listFact(others, " and ")}`,
    evidence,
  );
}

async function judgeFormat(probe: ServerProbe, client: Client): Promise<Finding> {
  const { unreadable, exchange } = await probe.token(client);
  const expected = phrase`a signed JWT: three parts in base64url, separated by dots`;
  const actual = unreadable === undefined ? undefined : phrase`${unreadable}`;
  return passUnless(actual, expected, { probes: [exchange] });
}

async function judgeClaims(
  probe: ServerProbe,
  client: Client,
  faultOf: TokenCheck["faultOf"],
): Promise<Finding> {
  const token = await probe.token(client);
  const evidence: Evidence = { probes: [token.exchange] };
  if (token.unreadable !== undefined) {
    return Finding.inconclusive(phrase`the token cannot be read: ${token.unreadable}`, evidence);
  }
  const found = faultOf(token, probe.target);
  if (!found) return Finding.pass(evidence);
  return violation(phrase`${found.actual}`, phrase`${found.expected}`, evidence);
}

/** Judges the tokens after the first by the checks that the first one passes, so that no fault is reported twice. */
async function judgeEvery(probe: ServerProbe, client: Client): Promise<Finding> {
  const first = await probe.token(client);
  const further = await furtherTokens(probe, client);
  if (first.unreadable !== undefined) {
    return Finding.inconclusive(
      phrase`the client's first token cannot be read; authorization-server.claims/format reports it`,
    );
  }
  const passed = TOKEN_CHECKS.filter(({ faultOf }) => !faultOf(first, probe.target));
  for (const level of [undefined, "SHOULD"] as const) {
    const checks = passed.filter((check) => check.level === level);
    for (const token of further) {
      const found =
        token.unreadable === undefined
          ? checks.map(({ faultOf }) => faultOf(token, probe.target)).find(Boolean)
          : { expected: "a signed JWT", actual: token.unreadable };
      if (!found) continue;
      const { expected, actual } = found;
      return {
        kind: "fail",
        expected: phrase`${expected}`,
        actual: phrase`${actual}, in ${originOf(token)}; the client's first token has no such fault`,
        evidence: { probes: [token.exchange], controls: [first.exchange] },
        ...(level && { atMost: level }),
      };
    }
  }
  const probes = [first, ...further].map(({ exchange }) => exchange).slice(0, 3);
  return Finding.pass({ probes });
}

/** Judges that each `jti` is a string of one token alone. A server may give a token again. */
async function judgeTokenId(probe: ServerProbe): Promise<Finding> {
  for (const client of probe.server.clients) {
    const got = await probe.currentToken(client);
    if (!("failed" in got)) await furtherTokens(probe, client);
  }
  const expected = phrase`\`jti\` is a string that no other token has`;
  const known = new Map<unknown, IssuedToken>();
  for (const token of probe.issued) {
    const { jti } = token.claims;
    if (jti === undefined) continue;
    const shown = valueFact(JSON.stringify(jti).slice(0, 80));
    if (typeof jti !== "string") {
      return violation(phrase`it is ${shown}`, expected, { probes: [token.exchange] });
    }
    const before = known.get(jti) ?? token;
    if (before.token !== token.token) {
      const evidence = { probes: [token.exchange], controls: [before.exchange] };
      return violation(phrase`two tokens have ${shown}`, expected, evidence);
    }
    known.set(jti, before);
  }
  const probes = [...known.values()].map(({ exchange }) => exchange).slice(0, 3);
  return probes.length === 0
    ? Finding.notApplicable(phrase`no token has \`jti\``)
    : Finding.pass({ probes });
}

/** Observes whether a client gets a token for the organization that its request names, though it is not the client's own. */
async function observeRequestedBinding(probe: ServerProbe, client: Client): Promise<Finding> {
  const { bindingClaim = "", organizations } = probe.target;
  const wanted = [organizations.other, organizations.primary].find(
    (id) => id !== undefined && !isSameUuid(id, client.organization),
  );
  if (wanted === undefined) return Finding.notApplicable(phrase`no other organization is known`);
  await probe.control(client);
  const parameters = Object.fromEntries(
    [bindingClaim, ...ORGANIZATION_NAMES].map((name) => [name, wanted]),
  );
  const response = await probe.clientCredentials(client, client.scopes, { parameters });
  if (response.claims === undefined) return observed(response);
  const bound = response.claims[bindingClaim];
  return Finding.observed(
    typeof bound === "string" && isSameUuid(bound, wanted)
      ? phrase`the claim is the organization that the request names: the client may act on any`
      : phrase`the claim does not follow the request`,
    { probes: [response.exchange] },
  );
}
