import type { Facts } from "../profile/facts.ts";
import type { Change, Claim, Value } from "./change.ts";
import {
  CARRIERS,
  FORGERIES,
  MORE_PRESENTATIONS,
  PAYLOADS,
  PRESENTATIONS,
  TEXTS,
} from "./forms.ts";
import { type Arbitrary, type Fc, OF_ID, OF_NUMBER, OF_TEXT, OF_URL, valuesFor } from "./values.ts";

const AGO = [-7200, -3600, -3700, -86_400, -400, -31_536_000, -301, -1e9];
const AHEAD = [400, 600, 3600, 7200, 86_400, 1e9];

interface Weighted {
  readonly weight: number;
  readonly arbitrary: Arbitrary<Change>;
}

/** The change that is judged: most often one with which a request must be rejected. */
export function judgedChanges(fc: Fc, facts: Facts): Arbitrary<Change> {
  return fc.oneof(
    ...claimsOf(fc, facts),
    ...signaturesOf(fc),
    ...presentationsOf(fc),
    ...placesOf(fc, facts),
    { weight: 2, arbitrary: pages(fc) },
    { weight: 1, arbitrary: furtherMembers(fc) },
  );
}

function claimsOf(fc: Fc, facts: Facts): Weighted[] {
  const { claim, near, scopes, goodScopes, time, edits } = valuesFor(fc);
  const { denied, organizations, bindingClaim } = facts;
  const own = near("organization", OF_ID);
  const isOther = denied !== undefined && denied.subject !== facts.subject;
  return [
    {
      weight: 9,
      arbitrary: claim(
        "aud",
        near("audience", OF_URL),
        near("issuer", OF_URL, 0),
        near("elsewhere", OF_TEXT, 0),
        near("organization", OF_ID, 0),
      ),
    },
    {
      weight: 7,
      arbitrary: claim(
        "iss",
        near("issuer", OF_URL),
        near("audience", OF_URL, 0),
        near("subject", OF_TEXT, 0),
      ),
    },
    {
      weight: 9,
      arbitrary: claim("scope", scopes, goodScopes, near("other scopes", OF_TEXT, 0)),
    },
    ...(bindingClaim === undefined
      ? []
      : [
          {
            weight: 9,
            arbitrary: claim(
              "binding",
              own,
              ...(organizations.other === undefined ? [] : [near("other organization", OF_ID, 0)]),
              ...(denied ? [near("denied organization", OF_ID, 0)] : []),
            ),
          },
        ]),
    { weight: 6, arbitrary: claim("exp", time(AGO), near("own", OF_TEXT), time([0])) },
    { weight: 1, arbitrary: claim("nbf", time(AHEAD), time(AGO)) },
    { weight: 2, arbitrary: claim("sub", near("subject", OF_TEXT)) },
    ...(isOther
      ? [
          {
            weight: 4,
            arbitrary: fc.constant<Change>({
              of: "claim",
              name: "sub",
              value: { near: "denied subject", edits: [] },
            }),
          },
          { weight: 1, arbitrary: claim("sub", near("denied subject", OF_TEXT)) },
        ]
      : []),
    { weight: 1, arbitrary: claim("iat", time([-60, -120]), time(AGO)) },
    { weight: 1, arbitrary: claim("grant_type", near("own", OF_TEXT, 0)) },
    {
      weight: 3,
      arbitrary: fc.record({
        of: fc.constant("name" as const),
        name: fc.constantFrom<Claim>("aud", "iss", "exp", "scope", "sub"),
        edits: edits(OF_TEXT),
      }),
    },
  ];
}

function signaturesOf(fc: Fc): Weighted[] {
  const { near, odd, among, number } = valuesFor(fc);
  const header = (name: string, value: Arbitrary<Value>): Arbitrary<Change> =>
    fc.record({ of: fc.constant("header" as const), name: fc.constant(name), value });
  const extensions = fc.constantFrom<Value>(
    { value: ["x"] },
    { value: ["exp"] },
    { value: ["b64"] },
    { value: ["x", "x"] },
    { value: ["https://x.example/x"] },
    { value: "x" },
  );
  return [
    {
      weight: 2,
      arbitrary: header("alg", fc.oneof({ weight: 3, arbitrary: near("own", OF_TEXT) }, odd)),
    },
    { weight: 2, arbitrary: header("crit", extensions) },
    {
      weight: 10,
      arbitrary: fc.record({
        of: fc.constant("forgery" as const),
        how: among(FORGERIES),
        n: number,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ of: fc.constant("text" as const), how: among(TEXTS) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ of: fc.constant("payload" as const), how: among(PAYLOADS) }),
    },
  ];
}

function presentationsOf(fc: Fc): Weighted[] {
  const { among } = valuesFor(fc);
  return [
    {
      weight: 4,
      arbitrary: fc.record({
        of: fc.constant("authorization" as const),
        how: among(PRESENTATIONS, MORE_PRESENTATIONS),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom<Change>({ of: "authorization", how: "none" }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ of: fc.constant("carrier" as const), how: among(CARRIERS) }),
    },
  ];
}

function placesOf(fc: Fc, { organizations, denied, subject }: Facts): Weighted[] {
  const place = (organization: "other organization" | "denied organization"): Weighted => ({
    weight: 3,
    arbitrary: fc.constant<Change>({ of: "place", organization }),
  });
  return [
    ...(organizations.other === undefined ? [] : [place("other organization")]),
    ...(denied && denied.subject === subject ? [place("denied organization")] : []),
  ];
}

/** Numbers of pages and their sizes, in and out of bounds, in several notations. */
function pages(fc: Fc): Arbitrary<Change> {
  const { edits } = valuesFor(fc);
  const edges = [
    "2147483647",
    "2147483648",
    "4294967297",
    "1e3",
    "-0",
    "0.9",
    "18446744073709551617",
  ];
  return fc.record({
    of: fc.constant("query" as const),
    name: fc.constantFrom("page", "pageSize"),
    value: fc.oneof(
      fc.integer({ min: -3, max: 40 }).map((value): Value => ({ value: String(value) })),
      fc.record({
        near: fc.constant("number" as const),
        start: fc.integer({ min: 1, max: 30 }),
        edits: edits([...OF_TEXT, ...OF_NUMBER]),
      }),
      fc.constantFrom(...edges).map((value): Value => ({ value })),
    ),
  });
}

/** Members that a receiver should ignore. Not `jti`: it may take each value once, and a drawn one is sent in several tokens. */
export function furtherMembers(fc: Fc): Arbitrary<Change> {
  const { odd } = valuesFor(fc);
  return fc.oneof(
    fc.record({
      of: fc.constant("further claim" as const),
      name: fc.constantFrom(
        "sid",
        "azp",
        "client_id",
        "x",
        "https://x.example/x",
        "scp",
        "amr",
        "nonce",
      ),
      value: fc.oneof(
        odd,
        fc.constantFrom<Value>({ value: "x" }, { value: ["x"] }, { value: { x: 1 } }),
      ),
    }),
    fc.record({
      of: fc.constant("header" as const),
      name: fc.constantFrom("x", "x5t", "jwk", "ver", "nonce", "enc", "zip"),
      value: odd,
    }),
  );
}
