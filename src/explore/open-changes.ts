import { SCOPES } from "../contract/operations.ts";
import type { Facts } from "../profile/facts.ts";
import type { Change, Value } from "./change.ts";
import { MORE_PATHS, PATHS } from "./forms.ts";
import { furtherMembers } from "./judged-changes.ts";
import { type Arbitrary, type Fc, OF_ID, OF_TEXT, OF_URL, valuesFor } from "./values.ts";

/** Changes that the contract leaves open, or with which a request is accepted. A control carries them too. */
export function openChanges(fc: Fc, facts: Facts): Arbitrary<Change> {
  const { among, number } = valuesFor(fc);
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ of: fc.constant("path" as const), how: among(PATHS, MORE_PATHS) }),
    },
    { weight: 5, arbitrary: fields(fc) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Change>(
        ...["in lower case", "two spaces", "tab", "quoted", "twice", "comma"].map((how) => ({
          of: "authorization" as const,
          how,
        })),
        { of: "authorization", how: "another scheme after it" },
        { of: "method", method: "HEAD" },
      ),
    },
    { weight: 4, arbitrary: fc.constantFrom(...CLAIMS) },
    { weight: 2, arbitrary: fc.constantFrom(...HEADERS) },
    { weight: 5, arbitrary: privileges(fc) },
    { weight: 2, arbitrary: inHeader(fc) },
    { weight: 3, arbitrary: queries(fc) },
    { weight: 1, arbitrary: furtherMembers(fc) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Change>(
        { of: "text", how: "signature padded" },
        { of: "payload", how: "spaced" },
      ),
    },
    ...(facts.testIssuer.keys.length > 1
      ? [{ weight: 2, arbitrary: fc.record({ of: fc.constant("key" as const), n: number }) }]
      : []),
  );
}

/** Other values of claims, each of which some receivers take for the good one. */
const CLAIMS: readonly Change[] = [
  { of: "claim", name: "aud", value: { near: "audience", edits: [{ how: "array", n: 0 }] } },
  {
    of: "claim",
    name: "aud",
    value: { near: "audience", edits: [{ how: "array with others", n: 0 }] },
  },
  { of: "claim", name: "aud", value: { near: "audience", edits: [{ how: "more after", n: 1 }] } },
  { of: "claim", name: "iss", value: { near: "issuer", edits: [{ how: "more after", n: 1 }] } },
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
  { of: "claim", name: "binding", value: { absent: true } },
  { of: "claim", name: "scope", value: { near: "scope", edits: [{ how: "array", n: 0 }] } },
  { of: "claim", name: "scope", value: { value: SCOPES.join(" ") } },
  { of: "claim", name: "scope", value: { value: SCOPES.join(" ") } },
  { of: "claim", name: "grant_type", value: { value: "authorization_code" } },
  { of: "claim", name: "grant_type", value: { value: "authorization_code" } },
  { of: "claim", name: "grant_type", value: { absent: true } },
  { of: "claim", name: "exp", value: { near: "time", seconds: 90_000, edits: [] } },
  { of: "claim", name: "exp", value: { near: "time", seconds: -3, edits: [] } },
  { of: "claim", name: "iat", value: { near: "time", seconds: -90_000, edits: [] } },
  { of: "claim", name: "nbf", value: { near: "time", seconds: -60, edits: [] } },
];

const HEADERS: readonly Change[] = [
  { of: "header", name: "typ", value: { value: "at+jwt" } },
  { of: "header", name: "typ", value: { value: "JWT" } },
  { of: "header", name: "typ", value: { absent: true } },
  { of: "header", name: "kid", value: { absent: true } },
  { of: "header", name: "kid", value: { value: "x" } },
  { of: "header", name: "kid", value: { value: "" } },
  { of: "header", name: "crit", value: { value: [] } },
  { of: "header", name: "cty", value: { value: "JWT" } },
];

/** Claims in which some receivers look for scopes, an organization, a subject or an audience. */
function privileges(fc: Fc): Arbitrary<Change> {
  const { near } = valuesFor(fc);
  const further = (
    names: readonly string[],
    ...values: readonly Arbitrary<Value>[]
  ): Arbitrary<Change> =>
    fc.record({
      of: fc.constant("further claim" as const),
      name: fc.constantFrom(...names),
      value: fc.oneof(...values),
    });
  const inRoles: Arbitrary<Value> = fc.constant<Value>({ value: { roles: [...SCOPES] } });
  const inArray: Arbitrary<Value> = fc.constant<Value>({ value: [...SCOPES] });
  return fc.oneof(
    further(
      ["scp", "scopes", "roles", "permissions", "authorities", "groups"],
      near("scope", OF_TEXT, 0),
      inArray,
      fc.constant<Value>({ value: ["admin"] }),
    ),
    further(
      ["realm_access", "resource_access"],
      inRoles,
      fc.constant<Value>({ value: { x: { roles: [...SCOPES] } } }),
    ),
    further(
      ["admin", "is_admin", "role", "superuser"],
      fc.constantFrom<Value>({ value: true }, { value: "admin" }),
    ),
    further(
      ["org_id", "organization", "tenant", "https://x.example/org_id", "org"],
      near("organization", OF_ID, 0),
      near("other organization", OF_ID, 0),
    ),
    further(
      ["azp", "client_id", "act", "user", "email", "preferred_username"],
      near("subject", OF_TEXT, 0),
    ),
    further(["azp", "resource", "client_id", "target"], near("audience", OF_URL, 0)),
  );
}

/** Claims in the header, where some code reads them. */
function inHeader(fc: Fc): Arbitrary<Change> {
  const { near, time } = valuesFor(fc);
  const member = (name: string, value: Arbitrary<Value>): Arbitrary<Change> =>
    fc.record({ of: fc.constant("header" as const), name: fc.constant(name), value });
  return fc.oneof(
    member("iss", near("issuer", OF_URL, 0)),
    member("aud", near("audience", OF_URL, 0)),
    member("sub", near("subject", OF_TEXT, 0)),
    member("scope", near("scope", OF_TEXT, 0)),
    member("exp", time([3600])),
  );
}

const NAMING = [
  "x-org-id",
  "x-organization-id",
  "x-tenant-id",
  "x-org",
  "organization",
  "x-account-id",
];
const PROXIES = ["x-forwarded-host", "x-forwarded-server", "x-host", "x-original-host"];
const TRUSTED = [
  "x-forwarded-user",
  "x-user-id",
  "x-remote-user",
  "x-authenticated-user",
  "x-auth-user",
];
const FLAGS = [
  "x-internal",
  "x-internal-request",
  "x-debug",
  "x-middleware-subrequest",
  "x-service",
  "x-admin",
  "x-healthcheck",
  "x-requested-with",
  "access-control-request-method",
  "x-skip-auth",
];
const NEGOTIATING = [
  "accept",
  "accept-language",
  "cache-control",
  "if-none-match",
  "range",
  "prefer",
  "origin",
  "referer",
];
const ADDRESSES = [
  "x-forwarded-for",
  "x-real-ip",
  "x-original-url",
  "x-rewrite-url",
  "x-forwarded-prefix",
  "x-forwarded-proto",
];
const OVERRIDES = ["x-http-method-override", "x-http-method", "x-method-override"];

/** Header fields of which the contract does not speak. Servers read their names in any case, and some with other separators. */
function fields(fc: Fc): Arbitrary<Change> {
  const { near } = valuesFor(fc);
  const words = (...values: readonly string[]): Arbitrary<Value> =>
    fc.constantFrom(...values).map((value): Value => ({ value }));
  const spelled = (names: readonly string[]): Arbitrary<string> =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => name.replaceAll("-", "_")) },
      { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => name.replace("-", "_")) },
    );
  const field = (names: readonly string[], value: Arbitrary<Value>): Arbitrary<Change> =>
    fc.record({ of: fc.constant("field" as const), name: spelled(names), value });
  return fc.oneof(
    field(NAMING, fc.oneof(near("organization", OF_ID, 0), near("other organization", OF_ID, 0))),
    field(PROXIES, words("x.example", "x.example:443", "localhost")),
    field(["forwarded"], words("host=x.example;proto=https", "for=127.0.0.1;host=x.example")),
    field(TRUSTED, fc.oneof(near("subject", OF_TEXT, 0), words("admin", "1"))),
    field(
      ["x-scopes", "x-scope", "x-roles", "x-permissions"],
      fc.oneof(near("scope", OF_TEXT, 0), words("admin", SCOPES.join(" "))),
    ),
    field(FLAGS, words("1", "true", "GET", "middleware", "XMLHttpRequest", "admin")),
    field(
      NEGOTIATING,
      words("*/*", "*", "no-cache", "x", "bytes=0-1", "text/html", "https://x.example"),
    ),
    field(ADDRESSES, words("127.0.0.1", "10.0.0.1", "/", "/health", "https", "/x", "::1")),
    field(OVERRIDES, words("OPTIONS", "HEAD", "GET")),
    field(["cookie"], words("x=1", "session=x", "admin=true")),
  );
}

/** Parameters of which the contract does not speak, and pages of paginated routes. */
function queries(fc: Fc): Arbitrary<Change> {
  const { near } = valuesFor(fc);
  const query = (names: readonly string[], value: Arbitrary<Value>): Arbitrary<Change> =>
    fc.record({ of: fc.constant("query" as const), name: fc.constantFrom(...names), value });
  return fc.oneof(
    query(["page"], fc.constantFrom<Value>({ value: "2" }, { value: "1" }, { value: "3" })),
    query(["pageSize"], fc.constantFrom<Value>({ value: "1" }, { value: "2" })),
    query(["orgId", "organization", "org_id", "id"], near("organization", OF_ID, 0)),
    query(["scope", "scopes"], near("scope", OF_TEXT, 0)),
    query(
      ["access_token", "x", "public", "debug", "_method", "format"],
      fc.constantFrom<Value>({ value: "x" }, { value: "1" }, { value: "/health" }),
    ),
  );
}
