import { randomUUID } from "node:crypto";

import type { Mutation, TokenChange } from "../../../src/mutations/mutation.ts";
import { binding } from "../../../src/mutations/token/binding.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { earliestNowSeconds } from "../../../src/tokens/draft.ts";
import { signRaw, withS } from "../../../src/tokens/sign.ts";

/** Changes after which a good token is still good. */

function claiming(
  name: string,
  what: string,
  claims: NonNullable<TokenChange["claims"]>,
  source: string,
): Mutation {
  return { name, what, source, token: { claims } };
}

export const grantTypeAbsent: Mutation = claiming(
  "grant-type-absent",
  "`grant_type` is missing",
  { grant_type: undefined },
  "contract, Token claims; RFC 9068 §2.2",
);

/** `grant_type` is a SHOULD. Either value is good, and so is a token without it. */
export const grantTypes: readonly Mutation[] = [
  grantTypeAbsent,
  ...["client_credentials", "authorization_code"].map((grant_type) =>
    claiming(
      `grant-type-${grant_type.replace("_", "-")}`,
      `\`grant_type\` is ${grant_type}`,
      { grant_type },
      "contract, Flows, Token claims; RFC 6749 §1.3",
    ),
  ),
];

/** A receiver must ignore claims that it does not understand, RFC 7519 §4. */
export const nestedClaim: Mutation = claiming(
  "unknown-claim",
  "an unknown, nested claim",
  { "https://conformance.example/extra": { list: [1, { deep: null }], text: "Zoë 東京" } },
  "RFC 7519 §4",
);

function optional(claim: string, mutation: Mutation): Mutation {
  return {
    ...mutation,
    inapplicable: ({ testIssuer }) =>
      Object.hasOwn(testIssuer.claims, claim)
        ? `\`testIssuer.claims\` gives every good token its \`${claim}\``
        : undefined,
  };
}

/** A `jti` of its own for each token, also in a run with the same seed: a receiver may take each only once. */
export const freshJti: Mutation = optional(
  "jti",
  claiming("jti", "a claim `jti`", () => ({ jti: randomUUID() }), "RFC 7519 §4.1.7"),
);

/** Registered claims about which the contract is silent, and which the profile does not set. */
export const registeredClaims: readonly Mutation[] = [
  freshJti,
  optional(
    "azp",
    claiming("azp", "a claim `azp`", ({ claims }) => ({ azp: claims["sub"] }), "RFC 7519 §4"),
  ),
  optional(
    "client_id",
    claiming(
      "client-id",
      "a claim `client_id`",
      ({ claims }) => ({ client_id: claims["sub"] }),
      "RFC 7519 §4; RFC 9068 §2.2",
    ),
  ),
];

function spelled(name: string, what: string, source: string, token: TokenChange): Mutation {
  return { name, what, source, token };
}

/** Other spellings of the same token. */
export const spellings: readonly Mutation[] = [
  spelled(
    "unknown-header",
    "the header has an unknown parameter that `crit` does not name",
    "RFC 7515 §4",
    { header: { "conformance-note": "to be ignored" } },
  ),
  spelled("header-whitespace", "the header is JSON with line breaks and spaces", "RFC 8259 §2", {
    headerText: (header) => JSON.stringify(header, null, 2),
  }),
  spelled("payload-whitespace", "the payload is JSON with line breaks and spaces", "RFC 8259 §2", {
    payload: (claims) => JSON.stringify(claims, null, 2),
  }),
  spelled(
    "escaped-name",
    "the name of `aud` has its first letter escaped",
    "RFC 8259 §7; RFC 7519 §7.3",
    { payload: (claims) => JSON.stringify(claims).replace('"aud":', String.raw`"\u0061ud":`) },
  ),
  spelled("escaped-slashes", "slashes in the payload are escaped", "RFC 8259 §7", {
    payload: (claims) => JSON.stringify(claims).replaceAll("/", String.raw`\/`),
  }),
  spelled("members-reversed", "the claims are in reverse order", "RFC 8259 §4", {
    payload: (claims) => JSON.stringify(Object.fromEntries(Object.entries(claims).toReversed())),
  }),
  claiming(
    "scope-twice",
    "`scope` has the required scope twice",
    ({ claims }) => ({ scope: `${String(claims["scope"])} ${String(claims["scope"])}` }),
    "RFC 6749 §3.3",
  ),
  claiming(
    "fractional-times",
    "`iat` and `exp` have fractions of a second",
    ({ claims }) => ({ iat: Number(claims["iat"]) + 0.5, exp: Number(claims["exp"]) + 0.5 }),
    "RFC 7519 §2",
  ),
  spelled("exponent", "`exp` is written with an exponent", "RFC 7519 §2; RFC 8259 §6", {
    payload: (claims) =>
      JSON.stringify({ ...claims, exp: "" }).replace(
        '"exp":""',
        `"exp":${Number(claims["exp"]) / 1e9}e9`,
      ),
  }),
  claiming(
    "nbf-past",
    "`nbf` is in the past, and not after `iat`",
    ({ claims }, { form }) => ({
      nbf: Math.min(earliestNowSeconds(form) - 60, Number(claims["iat"])),
    }),
    "RFC 7519 §4.1.5",
  ),
];

/**
 * A good ES256 token, and one with the greater of the two values of `s` that verify. `undefined`
 * where the deployment does not declare ES256 or there is no key for it.
 */
export function greaterS({ testIssuer }: Facts): { good: Mutation; greater: Mutation } | undefined {
  const key = testIssuer.keys.find(({ alg }) => alg === "ES256");
  if (!key || !testIssuer.algorithms.includes("ES256")) return undefined;
  const header = { alg: key.alg, kid: key.kid };
  return {
    good: {
      name: "es256",
      what: "signed with ES256",
      token: { header, sign: (input) => signRaw(key.alg, key, input) },
      signsAsIssuer: true,
    },
    greater: {
      name: "es256-greater-s",
      what: "signed with ES256, `s` being the greater of the two values that verify",
      source: "RFC 7518 §3.4",
      token: { header, sign: (input) => withS("greater", key.alg, signRaw(key.alg, key, input)) },
      signsAsIssuer: true,
    },
  };
}

/** A token that its control's binding does not limit. Local policy may refuse it. */
export const withoutBinding: Mutation = {
  name: "unbound",
  what: "the token is bound to no organization",
  token: binding(() => undefined),
  asks: () => ({ organization: null }),
};
