import type * as FastCheck from "fast-check";

import { type OperationId, OPERATIONS, SCOPES } from "../contract/operations.ts";
import type { Facts } from "../profile/facts.ts";
import type { Change, Claim, Start, Value } from "./change.ts";
import { type Edited, EDITS, ID_EDITS, NUMBER_EDITS, URL_EDITS } from "./edits.ts";
import {
  FORGERIES,
  MORE_PATHS,
  MORE_PRESENTATIONS,
  PATHS,
  PAYLOADS,
  PRESENTATIONS,
  TEXTS,
} from "./forms.ts";

type Fc = typeof FastCheck;
type Arbitrary<T> = FastCheck.Arbitrary<T>;

/** A request that is sent before the judged one, and whose answer is not judged. */
export const STEPS = [
  "the good request",
  "a good request for one organization",
  "a good list",
  "a page of the list",
  "a good request for another organization",
  "a good request of the denied subject",
  "a request without a token",
  "the same request",
  "an edit",
] as const;

export type Step = (typeof STEPS)[number];

/** One case as data: a change that is judged, others that its control carries too, and what is sent before. */
export interface Draw {
  readonly operation: OperationId;
  /** Whether the good token is bound to the organization. */
  readonly bound: boolean;
  readonly judged: Change;
  readonly open: readonly Change[];
  readonly before: readonly Step[];
}

const GREATEST_NUMBER = 63;

/** Names of an edit each, with what they edit. */
function names(table: object, of?: string): string[] {
  return Object.keys(table).map((name) => (of === undefined ? name : `${of}: ${name}`));
}

const OF_TEXT = names(EDITS);
const OF_URL = [...OF_TEXT, ...names(URL_EDITS, "URL"), ...names(URL_EDITS, "URL")];
const OF_ID = [...OF_TEXT, ...names(ID_EDITS, "id"), ...names(ID_EDITS, "id")];
const OF_NUMBER = names(NUMBER_EDITS, "number");

const ODD: readonly unknown[] = [
  null,
  "",
  true,
  0,
  1,
  [],
  {},
  false,
  -1,
  "null",
  "undefined",
  " ",
].concat([[null], [""], "0", "true", 1e308, [[]], "*", ".*", "%", "NaN", "[object Object]"]);
/** A drawn value may shrink to one of the first kind. */
const SMALLER = { withCrossShrink: true };

const AGO = [-7200, -3600, -3700, -86_400, -400, -31_536_000, -301, -1e9];
const AHEAD = [301, 400, 3600, 7200, 86_400, 1e9];

/** The arbitraries of fast-check for one deployment. */
export function drawsFor(fc: Fc, facts: Facts): Arbitrary<Draw> {
  const edit = (how: readonly string[]): Arbitrary<Edited> =>
    fc.record({ how: fc.constantFrom(...how), n: fc.nat(GREATEST_NUMBER) });
  const edits = (how: readonly string[], least = 1): Arbitrary<readonly Edited[]> =>
    fc.oneof(
      SMALLER,
      { weight: 5, arbitrary: fc.array(edit(how), { minLength: least, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(edit(how), { minLength: 2, maxLength: 2 }) },
    );
  const near = (start: Start, how: readonly string[], least = 1): Arbitrary<Value> =>
    fc.record({ near: fc.constant(start), edits: edits(how, least) });
  const odd: Arbitrary<Value> = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ODD).map((value): Value => ({ value })) },
    { weight: 1, arbitrary: fc.constant<Value>({ absent: true }) },
  );
  const claim = (
    name: Claim,
    ...values: readonly [Arbitrary<Value>, ...Arbitrary<Value>[]]
  ): Arbitrary<Change> =>
    fc.record({
      of: fc.constant("claim" as const),
      name: fc.constant(name),
      value: fc.oneof(
        SMALLER,
        { weight: 6, arbitrary: values[0] },
        ...values.slice(1).map((arbitrary) => ({ weight: 2, arbitrary })),
        { weight: 1, arbitrary: odd },
      ),
    });
  const scopes: Arbitrary<Value> = fc.record({
    near: fc.constant("scope" as const),
    edits: edits(OF_TEXT),
    others: fc.constantFrom(undefined, "before" as const, "after" as const),
  });
  const goodScopes: Arbitrary<Value> = fc
    .tuple(
      fc.shuffledSubarray([...SCOPES, "openid", "profile"]),
      fc.constantFrom(" ", " ", ",", "  "),
    )
    .map(([words, separator]): Value => ({ value: words.join(separator) }));
  const time = (seconds: readonly number[]): Arbitrary<Value> =>
    fc.record({
      near: fc.constant("time" as const),
      seconds: fc.constantFrom(...seconds),
      edits: fc.oneof(
        SMALLER,
        { weight: 2, arbitrary: fc.constant<readonly Edited[]>([]) },
        { weight: 3, arbitrary: edits(OF_NUMBER) },
        { weight: 1, arbitrary: edits(OF_TEXT) },
      ),
    });
  const among = <K extends string>(
    ...tables: readonly Readonly<Record<K, unknown>>[]
  ): Arbitrary<K> => fc.constantFrom(...tables.flatMap((table) => Object.keys(table) as K[]));

  const { denied, organizations } = facts;
  const judgedClaims: readonly { weight: number; arbitrary: Arbitrary<Change> }[] = [
    {
      weight: 8,
      arbitrary: claim(
        "aud",
        near("audience", OF_URL),
        near("issuer", OF_URL, 0),
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
    { weight: 8, arbitrary: claim("scope", scopes, goodScopes, near("other scopes", OF_TEXT, 0)) },
    ...(facts.bindingClaim === undefined
      ? []
      : [
          {
            weight: 9,
            arbitrary: claim(
              "binding",
              near("organization", OF_ID),
              ...(organizations.other === undefined ? [] : [near("other organization", OF_ID, 0)]),
              ...(denied ? [near("denied organization", OF_ID, 0)] : []),
            ),
          },
        ]),
    { weight: 5, arbitrary: claim("exp", time(AGO), near("own", OF_TEXT), time([0])) },
    { weight: 1, arbitrary: claim("nbf", time(AHEAD), time(AGO)) },
    {
      weight: 3,
      arbitrary: claim(
        "sub",
        near("subject", OF_TEXT),
        ...(denied && denied.subject !== facts.subject ? [near("denied subject", OF_TEXT, 0)] : []),
      ),
    },
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
  const further: Arbitrary<Change> = fc.record({
    of: fc.constant("further claim" as const),
    name: fc.constantFrom(
      "jti",
      "azp",
      "client_id",
      "x",
      "https://x.example/x",
      "email_verified",
      "scp",
      "amr",
      "nonce",
    ),
    value: fc.oneof(
      odd,
      fc.constantFrom<Value>({ value: "x" }, { value: ["x"] }, { value: { x: 1 } }),
    ),
  });
  const header: Arbitrary<Change> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        of: fc.constant("header" as const),
        name: fc.constant("alg"),
        value: fc.oneof({ weight: 3, arbitrary: near("own", OF_TEXT) }, odd),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        of: fc.constant("header" as const),
        name: fc.constant("crit"),
        value: fc.constantFrom<Value>(
          { value: ["x"] },
          { value: ["exp"] },
          { value: ["b64"] },
          { value: ["x", "x"] },
          { value: ["https://x.example/x"] },
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        of: fc.constant("header" as const),
        name: fc.constantFrom("x", "x5t", "jwk", "ver", "nonce", "enc", "zip"),
        value: odd,
      }),
    },
  );
  const forgery: Arbitrary<Change> = fc.record({
    of: fc.constant("forgery" as const),
    how: among(FORGERIES),
    n: fc.nat(GREATEST_NUMBER),
  });
  const place: readonly { weight: number; arbitrary: Arbitrary<Change> }[] = [
    ...(organizations.other === undefined
      ? []
      : [
          {
            weight: 3,
            arbitrary: fc.constant<Change>({ of: "place", organization: "other organization" }),
          },
        ]),
    ...(denied && denied.subject === facts.subject
      ? [
          {
            weight: 3,
            arbitrary: fc.constant<Change>({ of: "place", organization: "denied organization" }),
          },
        ]
      : []),
  ];
  const query: Arbitrary<Change> = fc.record({
    of: fc.constant("query" as const),
    name: fc.constantFrom("page", "pageSize"),
    value: fc.oneof(
      fc.integer({ min: -3, max: 40 }).map((value): Value => ({ value: String(value) })),
      fc
        .tuple(fc.integer({ min: 1, max: 30 }), edits([...OF_TEXT, ...OF_NUMBER]))
        .map(([start, made]): Value => editedNumber(start, made)),
      fc
        .constantFrom(
          "2147483647",
          "2147483648",
          "4294967297",
          "1e3",
          "-0",
          "0.9",
          "18446744073709551617",
        )
        .map((value): Value => ({ value })),
    ),
  });
  const judged: Arbitrary<Change> = fc.oneof(
    ...judgedClaims,
    { weight: 5, arbitrary: header },
    { weight: 7, arbitrary: forgery },
    { weight: 2, arbitrary: fc.record({ of: fc.constant("text" as const), how: among(TEXTS) }) },
    {
      weight: 1,
      arbitrary: fc.record({ of: fc.constant("payload" as const), how: among(PAYLOADS) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        of: fc.constant("authorization" as const),
        how: among(PRESENTATIONS, MORE_PRESENTATIONS),
      }),
    },
    ...place,
    { weight: 2, arbitrary: query },
    { weight: 1, arbitrary: further },
  );

  const fields: Arbitrary<Change> = fc.record({
    of: fc.constant("field" as const),
    name: fc.constantFrom(
      "x-org-id",
      "x-organization-id",
      "x-tenant-id",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-forwarded-for",
      "x-original-url",
      "x-rewrite-url",
      "x-forwarded-prefix",
      "x-user-id",
      "x-scope",
      "x-roles",
      "x-debug",
      "x-internal",
      "x-http-method-override",
      "accept",
      "accept-language",
      "origin",
      "referer",
      "cache-control",
      "if-none-match",
      "range",
      "prefer",
      "x-requested-with",
      "cookie",
    ),
    value: fc.oneof(
      near("organization", OF_ID, 0),
      near("other organization", OF_ID, 0),
      fc
        .constantFrom(
          "1",
          "true",
          "GET",
          "127.0.0.1",
          "*/*",
          "no-cache",
          "x",
          "admin",
          "bytes=0-1",
          "/",
          "x=1",
        )
        .map((value): Value => ({ value })),
    ),
  });
  const open: Arbitrary<Change> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ of: fc.constant("path" as const), how: among(PATHS, MORE_PATHS) }),
    },
    { weight: 3, arbitrary: fields },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Change>(
        ...[
          "in lower case",
          "two spaces",
          "tab",
          "quoted",
          "twice",
          "comma",
          "another scheme after it",
        ].map((how) => ({ of: "authorization" as const, how })),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Change>({ of: "method", method: "HEAD" }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom<Change>(
        { of: "claim", name: "aud", value: { near: "audience", edits: [{ how: "array", n: 0 }] } },
        {
          of: "claim",
          name: "aud",
          value: { near: "audience", edits: [{ how: "array with others", n: 0 }] },
        },
        {
          of: "claim",
          name: "aud",
          value: { near: "audience", edits: [{ how: "more after", n: 1 }] },
        },
        {
          of: "claim",
          name: "iss",
          value: { near: "issuer", edits: [{ how: "more after", n: 1 }] },
        },
        { of: "claim", name: "binding", value: { value: null } },
        {
          of: "claim",
          name: "binding",
          value: { near: "organization", edits: [{ how: "array", n: 0 }] },
        },
        {
          of: "claim",
          name: "binding",
          value: { near: "organization", edits: [{ how: "other case", n: 0 }] },
        },
        { of: "claim", name: "scope", value: { near: "scope", edits: [{ how: "array", n: 0 }] } },
        { of: "claim", name: "scope", value: { value: SCOPES.join(" ") } },
        { of: "claim", name: "grant_type", value: { value: "authorization_code" } },
        { of: "claim", name: "grant_type", value: { absent: true } },
        { of: "claim", name: "exp", value: { near: "time", seconds: 90_000, edits: [] } },
        { of: "claim", name: "iat", value: { near: "time", seconds: -90_000, edits: [] } },
        { of: "claim", name: "nbf", value: { near: "time", seconds: -60, edits: [] } },
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Change>(
        { of: "header", name: "typ", value: { value: "at+jwt" } },
        { of: "header", name: "typ", value: { value: "JWT" } },
        { of: "header", name: "typ", value: { absent: true } },
        { of: "header", name: "kid", value: { absent: true } },
        { of: "header", name: "kid", value: { value: "x" } },
        { of: "header", name: "kid", value: { value: "" } },
        { of: "header", name: "crit", value: { value: [] } },
        { of: "header", name: "cty", value: { value: "JWT" } },
      ),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        of: fc.constant("further claim" as const),
        name: fc.constantFrom(
          "roles",
          "groups",
          "permissions",
          "admin",
          "scp",
          "org_id",
          "organization",
          "tenant",
          "client_id",
          "azp",
          "act",
        ),
        value: fc.oneof(
          near("organization", OF_ID, 0),
          near("scope", OF_TEXT, 0),
          fc.constantFrom<Value>(
            { value: ["admin"] },
            { value: true },
            { value: "admin" },
            { value: "*" },
          ),
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        of: fc.constant("query" as const),
        name: fc.constantFrom("orgId", "access_token", "x", "page"),
        value: fc.constantFrom<Value>({ value: "1" }, { near: "organization", edits: [] }),
      }),
    },
    { weight: 1, arbitrary: further },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Change>(
        { of: "text", how: "signature padded" },
        { of: "payload", how: "spaced" },
      ),
    },
  );
  const steps = STEPS.filter(
    (step) =>
      (step !== "an edit" || (facts.writes && facts.operations.editOrganization !== undefined)) &&
      (step !== "a good request of the denied subject" || denied !== undefined) &&
      (step !== "a good request for another organization" || organizations.other !== undefined),
  );
  return fc.record({
    operation: fc.constantFrom(...weightedOperations(facts)),
    bound:
      facts.bindingClaim === undefined
        ? fc.constant(false)
        : fc.oneof(fc.constant(true), fc.boolean()),
    judged,
    open: fc.oneof(
      SMALLER,
      { weight: 3, arbitrary: fc.constant<readonly Change[]>([]) },
      { weight: 2, arbitrary: fc.array(open, { maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(open, { maxLength: 2 }) },
    ),
    before: fc.oneof(
      SMALLER,
      { weight: 7, arbitrary: fc.constant<readonly Step[]>([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...steps), { maxLength: 2 }) },
    ),
  });
}

/** The offered operations, the reads more often. */
function weightedOperations({ operations, writes }: Facts): OperationId[] {
  const order: readonly OperationId[] = [
    "viewOrganization",
    "viewOrganization",
    "listOrganizations",
    "readChangesFeed",
    "readChange",
    "viewOrganization",
    "editOrganization",
    "submitChange",
  ];
  return order.filter((id) => operations[id] && (writes || !OPERATIONS[id].writes));
}

function editedNumber(start: number, made: readonly Edited[]): Value {
  return { near: "number", start, edits: made };
}
