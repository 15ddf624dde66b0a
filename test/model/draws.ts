import * as fc from "fast-check";

import { OPERATION_IDS, SCOPES } from "../../src/contract/operations.ts";
import { PATHS, PAYLOADS, PRESENTATIONS, TEXTS } from "../../src/explore/forms.ts";
import { otherCase } from "../../src/lib/words.ts";
import { DENIED, OTHER, PARTNER, PRIMARY, SUBJECT } from "../../src/reference/store.ts";
import { foreignKey } from "../../src/tokens/foreign-keys.ts";
import { BASE_URL, BINDING, NOW } from "./in-process.ts";
import { ABSENT, BESIDE, type Change, type Draw, EDDSA, ES256, ISSUER, SIGNERS } from "./make.ts";

/**
 * Requests that nobody wrote down. The changes know nothing of the mutations of the suite, and each value is drawn from what
 * is right, what is nearly right, and what is odd.
 */

const NEAR_NAMES = ["org_id", "https://example.com/ORG_ID", "https://other.example/org_id"];

function nearly(right: string): fc.Arbitrary<unknown> {
  return fc.constantFrom<unknown>(
    right,
    `${right}x`,
    right.slice(0, -1),
    otherCase(right),
    ` ${right}`,
    `${right} `,
    `${right}/`,
    `x ${right}`,
    `${right},x`,
    `x,${right}`,
    [right],
    ["x", right],
    [[right]],
    [`${right}/`],
    { [right]: true },
    ABSENT,
  );
}

const odd = fc.constantFrom<unknown>(null, true, false, 0, 1, -1, "", "x", [], {}, ABSENT);
const PAST = [-7200, -3601, -3600, -3599, -301, -300, -299, -6, -5, -4, -1, 0];
const AHEAD = [1, 4, 5, 6, 60, 299, 301, 600, 3601, 86_000, 90_000, 1e9];
const seconds = fc.constantFrom(...PAST, ...AHEAD);
const time = fc.oneof(
  { weight: 4, arbitrary: seconds.map((one) => NOW + one) },
  seconds.map((one) => NOW + one + 0.5),
  seconds.map((one) => String(NOW + one)),
  seconds.map((one) => [NOW + one]),
);
const scopeWord = fc.constantFrom(...SCOPES, "openid", "org:*", "ORG:READ", "org:readonly", "*");
const scopes = fc.oneof(
  fc
    .tuple(
      fc.array(scopeWord, { maxLength: 4 }),
      fc.constantFrom(" ", " ", " ", ",", "  ", "\t", "+"),
    )
    .map(([words, separator]) => words.join(separator)),
  fc.array(scopeWord, { maxLength: 3 }),
);

const RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  iss: fc.oneof(nearly(ISSUER.url), nearly(BESIDE.url)),
  sub: fc.oneof(nearly(SUBJECT), fc.constantFrom(PARTNER, "svc-nobody")),
  aud: fc.oneof(nearly(BASE_URL), fc.constantFrom("https://SYNC.example.com:443/common-grants/")),
  iat: time,
  exp: time,
  nbf: time,
  scope: scopes,
  grant_type: fc.constantFrom("client_credentials", "authorization_code", "password"),
  [BINDING]: fc.oneof(
    nearly(PRIMARY),
    fc.constantFrom(
      OTHER,
      DENIED,
      `urn:uuid:${PRIMARY}`,
      PRIMARY.replaceAll("-", ""),
      `{${PRIMARY}}`,
    ),
  ),
  roles: fc.constant(["admin"]),
  email: fc.constant("conformance@example.com"),
  jti: fc.constant("1"),
  ...Object.fromEntries(NEAR_NAMES.map((name) => [name, fc.constantFrom(PRIMARY, OTHER)])),
};

const HEADER: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  alg: fc.constantFrom("none", "None", "HS256", "RS256", "ES384", "es256", "EdDSA", "ES256", [
    "ES256",
  ]),
  kid: fc.constantFrom(ES256.kid, EDDSA.kid, "unknown", otherCase(ES256.kid), 1, [ES256.kid]),
  typ: fc.constantFrom("JWT", "jwt", "at+jwt", "application/at+jwt", "id+jwt", "JWE"),
  crit: fc.constantFrom(["x"], ["b64"], ["alg"], [], "x", ["exp"]),
  b64: fc.constantFrom(true, false),
  cty: fc.constantFrom("JWT", "x"),
  jwk: fc.constant(foreignKey("ES256").publicJwk),
  jku: fc.constant("https://x.example/jwks.json"),
  x: fc.constant(1),
};

function member(
  of: "claim" | "header",
  right: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Change> {
  const each = Object.entries(right).map(([name, value]) =>
    fc.oneof({ weight: 3, arbitrary: value }, odd).map((one): Change => ({ of, name, value: one })),
  );
  return fc.oneof(...each);
}

const QUERIES = [
  "page=1",
  "page=2&pageSize=1",
  "page=0",
  "page=x",
  "pageSize=2147483648",
  "page=",
  "page=01",
  "page=1.0",
  "page=+1",
  "page=1e0",
  "page=-1",
  "page=1&page=2",
  "sort=name",
  "access_token=x",
  "orgId=x",
];

function among<K extends string>(table: Readonly<Record<K, unknown>>): fc.Arbitrary<K> {
  return fc.constantFrom(...(Object.keys(table) as K[]));
}

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 10, arbitrary: member("claim", RIGHT) },
  { weight: 4, arbitrary: member("header", HEADER) },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant("signer" as const),
      key: among(SIGNERS),
      named: fc.boolean(),
    }),
  },
  fc.record({ of: fc.constant("payload" as const), how: among(PAYLOADS) }),
  { weight: 2, arbitrary: fc.record({ of: fc.constant("text" as const), how: among(TEXTS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ of: fc.constant("authorization" as const), how: among(PRESENTATIONS) }),
  },
  { weight: 2, arbitrary: fc.record({ of: fc.constant("path" as const), how: among(PATHS) }) },
  fc.record({
    of: fc.constant("method" as const),
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  }),
  fc.record({
    of: fc.constant("query" as const),
    query: fc.constantFrom(...QUERIES),
  }),
  fc.record({
    of: fc.constant("field" as const),
    name: fc.constantFrom(
      "x-org-id",
      "x-forwarded-host",
      "accept-language",
      "x-http-method-override",
    ),
    value: fc.constantFrom(OTHER, "GET", "PATCH", "sync.example.com"),
  }),
  fc.record({
    of: fc.constant("body" as const),
    body: fc.constantFrom(undefined, "", "{", "[]", "null", '{"name":7}', '{"mission":"x"}'),
  }),
);

const draw: fc.Arbitrary<Draw> = fc.record({
  operation: fc.constantFrom(...OPERATION_IDS),
  organization: fc.oneof(
    { weight: 6, arbitrary: fc.constant(PRIMARY) },
    fc.constantFrom(OTHER, DENIED, "11111111-1111-4111-8111-111111111111", "x"),
  ),
  change: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...[1, 2, 3, 4].map(changeId)) },
    fc.constant("x"),
  ),
  subject: fc.oneof({ weight: 5, arbitrary: fc.constant(SUBJECT) }, fc.constant(PARTNER)),
  bound: fc.boolean(),
  typ: fc.constantFrom("JWT", "at+jwt", undefined),
  allScopes: fc.boolean(),
  changes: fc.oneof(
    fc.array(change, { maxLength: 1 }),
    fc.array(change, { minLength: 1, maxLength: 3 }),
  ),
  again: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** Sequences of requests. */
export const sequences: fc.Arbitrary<Draw[]> = fc.array(draw, { minLength: 1, maxLength: 5 });

function changeId(serial: number): string {
  return `c4a9e5ed-0000-4000-8000-${String(serial).padStart(12, "0")}`;
}
