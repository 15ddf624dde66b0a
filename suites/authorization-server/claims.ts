import { canNarrow } from "../../src/authorization-server/granted-scopes.ts";
import type { IssuedToken } from "../../src/authorization-server/issued.ts";
import { ASYMMETRIC } from "../../src/authorization-server/key-set.ts";
import type { ServerProbe } from "../../src/authorization-server/probe.ts";
import { defineServerRule, forEach } from "../../src/authorization-server/rule.ts";
import { SCOPES } from "../../src/contract/operations.ts";
import { isUuid } from "../../src/contract/uuid.ts";
import type { Evidence, Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import type { Client } from "../../src/profile/authorization-server.ts";
import type { Need } from "../../src/profile/need.ts";
import type { Target } from "../../src/profile/target.ts";

/** What is wrong with a token, and what would be right; `undefined` where nothing is. */
type Fault = { readonly expected: string; readonly actual: string } | undefined;

interface TokenCheck {
  readonly id: string;
  readonly title: string;
  readonly requirement: string;
  readonly source?: string;
  readonly level?: "SHOULD";
  readonly needs?: readonly Need[];
  readonly faultOf: (token: IssuedToken, target: Target) => Fault;
}

const CHECKS: readonly TokenCheck[] = [
  {
    id: "algorithm",
    title: "It is signed with an asymmetric algorithm",
    requirement: "checks.signature",
    source: "contract, Receiver checks, 1",
    faultOf: ({ header: { alg } }) =>
      typeof alg === "string" && ASYMMETRIC.test(alg)
        ? undefined
        : fault("a signature that public keys verify", `alg is ${shown(alg)}`),
  },
  {
    id: "iss",
    title: "`iss` is the authorization server's issuer",
    requirement: "claims.iss",
    faultOf: ({ claims: { iss } }, { authorizationServer }) => {
      const { issuer } = authorizationServer ?? {};
      if (iss === issuer) return undefined;
      const hint =
        typeof iss === "string" && withoutSlash(iss) === withoutSlash(issuer ?? "")
          ? "; only the slash at the end differs"
          : "";
      return fault(`iss is ${issuer}`, `it is ${shown(iss)}${hint}`);
    },
  },
  {
    id: "sub",
    title: "`sub` is a string",
    requirement: "claims.sub",
    faultOf: ({ claims: { sub } }) =>
      typeof sub === "string" && sub !== ""
        ? undefined
        : fault("sub is a string", `it is ${shown(sub)}`),
  },
  {
    id: "aud",
    title: "`aud` is the receiver's base URL",
    requirement: "claims.aud",
    faultOf: ({ claims: { aud } }, { audience }) => {
      const named = [aud].flat();
      if (named.includes(audience)) return undefined;
      const slash = named.some(
        (one) => typeof one === "string" && withoutSlash(one) === withoutSlash(audience),
      );
      const hint = slash
        ? "; only the slash at the end differs: set the profile's audience to the one that the receiver expects"
        : "";
      return fault(`aud is ${audience}`, `it is ${shown(aud)}${hint}`);
    },
  },
  {
    id: "iat",
    title: "`iat` is a number of seconds",
    requirement: "claims.iat",
    faultOf: ({ claims: { iat } }) => seconds("iat", iat),
  },
  {
    id: "exp",
    title: "`exp` is a number of seconds",
    requirement: "claims.exp",
    faultOf: ({ claims: { exp } }) => seconds("exp", exp),
  },
  {
    id: "scope",
    title: "`scope` is a list of words, separated by spaces",
    requirement: "claims.scope",
    faultOf: ({ claims }) => scopeFault(claims),
  },
  {
    id: "binding",
    title: "A binding claim is the id of the client's organization",
    requirement: "binding.claim-name",
    needs: ["claimsNamespace"],
    faultOf: bindingFault,
  },
  {
    id: "lifetime",
    title:
      "`exp` is after `iat` and in the future, by not more than a year; `nbf` is not in the future",
    level: "SHOULD",
    requirement: "claims.exp",
    source: "RFC 6750 section 5.3, RFC 7519 section 4.1.5",
    faultOf: lifetimeFault,
  },
];

const YEAR_SECONDS = 366 * 24 * 3600;
const MOST_SKEW_SECONDS = 300;
/** A date in milliseconds is above this value; a date in seconds is not for 3000 years. */
const MILLISECONDS = 1e11;

export const rule: Rule = defineServerRule({
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
    "rfc7519.numeric-date",
    "rfc7519.iss",
    "rfc7519.sub",
    "rfc7519.aud",
    "rfc7519.exp",
    "rfc7519.iat",
  ],
  cases: (server) => [
    ...forEach(server.clients, {
      id: "format",
      title: "The access token is a signed JWT",
      endpoint: "token",
      requirement: "service.authenticated",
      why: "the receiver reads scopes and organization from the token itself",
      judge: judgeFormat,
    }),
    ...CHECKS.flatMap(({ faultOf, ...check }) =>
      forEach(server.clients, {
        ...check,
        endpoint: "token",
        judge: (probe, client) => judgeClaims(probe, client, faultOf),
      }),
    ),
    ...forEach(server.clients, {
      id: "every",
      title: "Every further token of the client is a signed JWT with these claims",
      endpoint: "token",
      // Last, to look at the tokens of every case: for other scopes, of refresh tokens, after an error.
      phase: "record",
      requirement: "service.own-authorization-server",
      why: "the receiver must refuse that token",
      judge: judgeEvery,
    }),
  ],
});

async function judgeFormat(probe: ServerProbe, client: Client): Promise<Finding> {
  const { unreadable, exchange } = await probe.token(client);
  const evidence: Evidence = { probes: [exchange] };
  if (unreadable === undefined) return { kind: "pass", evidence };
  const expected = phrase`a signed JWT: three parts in base64url, separated by dots`;
  return { kind: "fail", expected, actual: phrase`${unreadable}`, evidence };
}

async function judgeClaims(
  probe: ServerProbe,
  client: Client,
  faultOf: TokenCheck["faultOf"],
): Promise<Finding> {
  const token = await probe.token(client);
  const evidence: Evidence = { probes: [token.exchange] };
  if (token.unreadable !== undefined) {
    const reason = phrase`the token cannot be read: ${token.unreadable}`;
    return { kind: "inconclusive", reason, evidence };
  }
  const found = faultOf(token, probe.target);
  if (!found) return { kind: "pass", evidence };
  const { expected, actual } = found;
  return { kind: "fail", expected: phrase`${expected}`, actual: phrase`${actual}`, evidence };
}

/** Judges the tokens after the first by the checks that the first one passes, so that no fault is reported twice. */
async function judgeEvery(probe: ServerProbe, client: Client): Promise<Finding> {
  const first = await probe.token(client);
  await askForOthers(probe, client);
  const further = probe.issued.filter((one) => one.client.name === client.name && one !== first);
  if (first.unreadable !== undefined) {
    const reason = phrase`the client's first token cannot be read; authorization-server.claims/format reports it`;
    return { kind: "inconclusive", reason };
  }
  const passed = CHECKS.filter(({ faultOf }) => !faultOf(first, probe.target));
  for (const level of [undefined, "SHOULD"] as const) {
    const checks = passed.filter((check) => check.level === level);
    for (const token of further.filter(isForReceiver)) {
      const found =
        token.unreadable === undefined
          ? checks.map(({ faultOf }) => faultOf(token, probe.target)).find(Boolean)
          : fault("a signed JWT", token.unreadable);
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
  return { kind: "pass", evidence: { probes } };
}

/**
 * Whether a token is for the receiver. A server may answer a request without scopes, or for scopes that the client
 * is not registered for, by a token that permits nothing there, and that need not have its audience.
 */
function isForReceiver({ asked, claims: { scope }, client }: IssuedToken): boolean {
  // A token for registered scopes may fail to state them.
  if (scope === undefined)
    return asked.length > 0 && asked.every((one) => client.scopes.includes(one));
  const words = typeof scope === "string" ? scope.split(" ") : [];
  return SCOPES.some((one) => words.includes(one));
}

/** Asks for tokens of the kinds that no case has asked for. A server may refuse them. */
async function askForOthers(probe: ServerProbe, client: Client): Promise<void> {
  const issued = probe.issued.filter((one) => one.client.name === client.name);
  if (client.flow === "client_credentials") {
    const [only] = client.scopes;
    const sets = [canNarrow(probe.server, client) && only ? [only] : client.scopes, []];
    for (const scopes of sets) {
      const isKnown = issued.some(({ asked }) => asked.length === scopes.length);
      if (!isKnown) await probe.tryToken(client, scopes);
    }
    return;
  }
  const refreshable = issued.findLast(({ response }) => response.refreshToken !== undefined);
  if (refreshable && !issued.some(({ refreshed }) => refreshed)) await probe.refreshed(refreshable);
}

function originOf({ askedWords, refreshed }: IssuedToken): string {
  if (refreshed) return "the token for a refresh token";
  return askedWords === "" ? "a token for no scope" : `a token for ${askedWords}`;
}

function fault(expected: string, actual: string): Fault {
  return { expected, actual };
}

function seconds(name: string, value: unknown): Fault {
  const expected = `${name} is a number of seconds since 1970`;
  if (typeof value !== "number") return fault(expected, `it is ${shown(value)}`);
  return value > MILLISECONDS ? fault(expected, `it is in milliseconds: ${value}`) : undefined;
}

function scopeFault(claims: IssuedToken["claims"]): Fault {
  const { scope } = claims;
  const expected = "scope is a string: words separated by one space";
  if (typeof scope === "string") {
    return scope.includes(",") ? fault(expected, `it has commas: ${shown(scope)}`) : undefined;
  }
  const instead = ["scp", "scopes", "roles", "permissions"].filter((name) => name in claims);
  const hint = instead.length > 0 ? `, and there is ${instead.join(" and ")} instead` : "";
  return fault(expected, scope === undefined ? `it is absent${hint}` : `it is ${shown(scope)}`);
}

function bindingFault({ claims, client }: IssuedToken, { bindingClaim = "" }: Target): Fault {
  const value = claims[bindingClaim];
  // The meaning of null is open. The rule recommended-claims judges an absent claim.
  if (value === undefined || value === null) return undefined;
  if (!isUuid(value)) return fault(`${bindingClaim} is a UUID`, `it is ${shown(value)}`);
  const { organization } = client;
  if (organization === undefined) return undefined;
  return value.toLowerCase() === organization.toLowerCase()
    ? undefined
    : fault(`${bindingClaim} is ${organization}`, `it is ${shown(value)}`);
}

function lifetimeFault({ claims: { iat, exp, nbf }, issuedAtMs }: IssuedToken): Fault {
  if (typeof iat !== "number" || typeof exp !== "number") return undefined;
  if (iat > MILLISECONDS || exp > MILLISECONDS) return undefined;
  const expected =
    "exp is after iat and in the future, iat and nbf are not, and exp is not more than a year after iat";
  const now = issuedAtMs / 1000;
  if (exp <= iat) return fault(expected, "exp is not after iat");
  if (exp < now - MOST_SKEW_SECONDS) return fault(expected, "exp has passed at issue");
  if (iat > now + MOST_SKEW_SECONDS)
    return fault(expected, "iat is more than 5 minutes in the future");
  if (typeof nbf === "number" && nbf > now + MOST_SKEW_SECONDS)
    return fault(expected, "nbf is more than 5 minutes in the future");
  return exp - iat > YEAR_SECONDS
    ? fault(expected, `it is valid for ${Math.round((exp - iat) / 86_400)} days`)
    : undefined;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value).slice(0, 200);
}
