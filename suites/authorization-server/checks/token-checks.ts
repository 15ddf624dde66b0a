import { shown } from "../../../src/authorization-server/finding.ts";
import { ASYMMETRIC } from "../../../src/authorization-server/protocol/key-set.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import { SMALL_SKEW_SECONDS } from "../../../src/contract/checks.ts";
import { isSameUuid, isUuid } from "../../../src/contract/uuid.ts";
import { isEqualUpToSlash } from "../../../src/lib/uri.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { Need } from "../../../src/profile/need.ts";

/** What is wrong with a token, and what would be right; `undefined` where nothing is. */
type Fault = { readonly expected: string; readonly actual: string } | undefined;

/** One thing that must hold of each issued token; a case of `authorization-server.claims`. */
export interface TokenCheck {
  readonly id: string;
  readonly title: string;
  readonly requirement: string;
  readonly source?: string;
  readonly level?: "SHOULD";
  readonly needs?: readonly Need[];
  /** What is wrong with a token of this target; `undefined` where nothing is. */
  readonly faultOf: (token: IssuedToken, facts: Facts) => Fault;
}

/** The checks of an issued token, in the order of the cases. Each reads a token that can be decoded. */
export const TOKEN_CHECKS: readonly TokenCheck[] = [
  {
    id: "algorithm",
    title: "It is signed with an asymmetric algorithm",
    requirement: "checks.signature",
    source: "contract, Receiver checks, 1",
    faultOf: ({ header: { alg } }) =>
      typeof alg === "string" && ASYMMETRIC.test(alg)
        ? undefined
        : fault("a signature that public keys verify", `\`alg\` is ${shown(alg)}`),
  },
  {
    id: "iss",
    title: "`iss` is the authorization server's issuer",
    requirement: "claims.iss",
    faultOf: ({ claims: { iss } }, { authorizationServer }) => {
      const { issuer } = authorizationServer ?? {};
      if (iss === issuer) return undefined;
      const hint = isEqualUpToSlash(iss, issuer ?? "") ? "; only the slash at the end differs" : "";
      return fault(`\`iss\` is ${issuer}`, `it is ${shown(iss)}${hint}`);
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
      const slash = named.some((one) => isEqualUpToSlash(one, audience));
      const hint = slash
        ? "; only the slash at the end differs: set the profile's audience to the one that the receiver expects"
        : "";
      return fault(`\`aud\` is ${audience}`, `it is ${shown(aud)}${hint}`);
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
    title: "`exp` is a number of seconds, after `iat`",
    requirement: "claims.exp",
    source: "contract, Token claims; RFC 7519 section 4.1.4",
    faultOf: ({ claims: { iat, exp } }) => seconds("exp", exp) ?? overAtOnce(iat, exp),
  },
  {
    id: "scope",
    title: "`scope` is a list of words, separated by spaces",
    requirement: "claims.scope",
    faultOf: ({ claims }) => scopeFault(claims),
  },
  {
    id: "scope-spaces",
    title: "One space is between two words of `scope`, and none is around them",
    level: "SHOULD",
    requirement: "claims.scope",
    source: "RFC 6749 section 3.3",
    faultOf: ({ claims: { scope } }) =>
      typeof scope === "string" && hasFurtherSpaces(scope)
        ? fault("one space between two words, and no other", `it is ${shown(scope)}`)
        : undefined,
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
    title: "`exp` is in the future, by not more than a year; `iat` and `nbf` are not in the future",
    level: "SHOULD",
    requirement: "claims.exp",
    source: "RFC 6750 section 5.3, RFC 7519 section 4.1.5",
    faultOf: lifetimeFault,
  },
];

const YEAR_SECONDS = 366 * 24 * 3600;
/** A date in milliseconds is above this value; a date in seconds is not for 3000 years. */
const MILLISECONDS = 1e11;

function fault(expected: string, actual: string): Fault {
  return { expected, actual };
}

function seconds(name: string, value: unknown): Fault {
  const expected = `${name} is a number of seconds since 1970`;
  if (typeof value !== "number") return fault(expected, `it is ${shown(value)}`);
  return value > MILLISECONDS ? fault(expected, `it is in milliseconds: ${value}`) : undefined;
}

/** A token that is over when it is issued, which every receiver has to refuse. */
function overAtOnce(iat: unknown, exp: unknown): Fault {
  if (typeof iat !== "number" || typeof exp !== "number" || exp > iat) return undefined;
  return fault("`exp` is after `iat`", "`exp` is not after `iat`");
}

function scopeFault(claims: IssuedToken["claims"]): Fault {
  const { scope } = claims;
  const expected = "scope is a string: words separated by one space";
  if (typeof scope === "string") {
    if (scope.includes(",")) return fault(expected, `it has commas: ${shown(scope)}`);
    // To whoever splits it at spaces, it is one word.
    return /[^\S ]/.test(scope)
      ? fault(expected, `it has white space other than spaces: ${shown(scope)}`)
      : undefined;
  }
  const instead = ["scp", "scopes", "roles", "permissions"].filter((name) => name in claims);
  const hint = instead.length > 0 ? `, and there is ${instead.join(" and ")} instead` : "";
  return fault(expected, scope === undefined ? `it is absent${hint}` : `it is ${shown(scope)}`);
}

/** Whether a list of scopes has an empty word for whoever splits it at each space, RFC 6749 section 3.3. */
export function hasFurtherSpaces(list: string): boolean {
  return list !== "" && list.split(" ").includes("");
}

function bindingFault({ claims, client }: IssuedToken, { bindingClaim = "" }: Facts): Fault {
  const value = claims[bindingClaim];
  // The meaning of null is open. The rule recommended-claims judges an absent claim.
  if (value === undefined || value === null) return undefined;
  if (!isUuid(value)) return fault(`${bindingClaim} is a UUID`, `it is ${shown(value)}`);
  const { organization } = client;
  if (organization === undefined) return undefined;
  return isSameUuid(value, organization)
    ? undefined
    : fault(`${bindingClaim} is ${organization}`, `it is ${shown(value)}`);
}

function lifetimeFault({ claims: { iat, exp, nbf }, issuedAtMs }: IssuedToken): Fault {
  if (typeof iat !== "number" || typeof exp !== "number") return undefined;
  if (iat > MILLISECONDS || exp > MILLISECONDS) return undefined;
  // The check of `exp` reports it.
  if (overAtOnce(iat, exp)) return undefined;
  const expected =
    "`exp` is in the future, `iat` and `nbf` are not, and `exp` is not more than a year after `iat`";
  const now = issuedAtMs / 1000;
  if (exp < now - SMALL_SKEW_SECONDS) return fault(expected, "`exp` has passed at issue");
  if (iat > now + SMALL_SKEW_SECONDS)
    return fault(expected, "`iat` is more than 5 minutes in the future");
  if (nbf !== undefined && typeof nbf !== "number")
    return fault("`nbf`, if present, is a number of seconds since 1970", `it is ${shown(nbf)}`);
  if (nbf !== undefined && nbf > now + SMALL_SKEW_SECONDS)
    return fault(expected, "`nbf` is more than 5 minutes in the future");
  return exp - iat > YEAR_SECONDS
    ? fault(expected, `it is valid for ${Math.round((exp - iat) / 86_400)} days`)
    : undefined;
}
