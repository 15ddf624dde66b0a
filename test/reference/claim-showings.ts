import { SCOPES } from "../../src/contract/operations.ts";
import type { Showing } from "./access-showings.ts";
import { ISSUER, mint, PAIRS, type Receiver } from "./client.ts";

type Claims = Readonly<Record<string, unknown>>;

/** A token whose claims differ from a good one's. */
function claiming(claims: Claims | ((receiver: Receiver) => Claims)): Showing {
  return (receiver) => ({
    token: { claims: typeof claims === "function" ? claims(receiver) : claims },
  });
}

const now = Math.floor(Date.now() / 1000);

const ELSEWHERE = "elsewhere.example.com";

/** Values that a careless comparison treats as `right`, by the comparison. */
function mistaken(right: string): Readonly<Record<string, unknown>> {
  const { host, hostname, protocol, port } = new URL(right);
  const path = right.slice(`${protocol}//${host}`.length);
  const otherPort = Number(port) === 65_535 ? 1 : Number(port) + 1;
  return {
    unchecked: `https://${ELSEWHERE}`,
    "missing-accepted": undefined,
    "falsy-accepted": "",
    "absent-or-null-accepted": null,
    "required-alone": null,
    "equal-to-true": true,
    "only-strings-compared": 7,
    "by-prefix": `${right}x`,
    "by-path-prefix": `${right}/x`,
    "by-suffix": `x${right}`,
    "by-substring": `x${right}x`,
    "part-of-expected": right.slice(0, -1),
    "by-pattern": right.replace(".", "x"),
    "in-list": `x ${right}`,
    "in-comma-list": `x,${right}`,
    "on-any-line": `x\n${right}`,
    "by-host": `${protocol}//${hostname}:${otherPort}/x`,
    "by-origin": `${protocol}//${host}/x`,
    "without-scheme": right.replace(/^https?:\/\//, ""),
    "scheme-ignored": right.replace(protocol, protocol === "http:" ? "https:" : "http:"),
    "port-ignored": `${protocol}//${hostname}:${otherPort}${path}`,
    "query-ignored": `${right}?x`,
    "userinfo-taken-for-host": `${protocol}//${host}@${ELSEWHERE}`,
  };
}

const onIssuer: Readonly<Record<string, unknown>> = {
  ...mistaken(ISSUER),
  "in-array": ["x", ISSUER],
  "loosely-equal": [ISSUER],
  "any-array": ["x"],
  subdomain: ISSUER.replace("//", "//x."),
  "host-ending": ISSUER.replace("//", "//x"),
  "object-member": "toString",
};

function onAudience(receiver: Receiver): Readonly<Record<string, unknown>> {
  const { baseUrl } = receiver;
  return {
    ...mistaken(baseUrl),
    "case-ignored": baseUrl.toUpperCase(),
    "any-array": ["x"],
    "empty-array": [],
    "array-by-prefix": [`${baseUrl}x`],
    "nested-array": [[baseUrl]],
    "object-member": { [baseUrl]: 1 },
    wildcard: "*",
    issuer: ISSUER,
    client: receiver.profile["subject"],
    "request-url": `${baseUrl}/orgs`,
  };
}

const AUDIENCE_FAULTS = Object.keys(onAudience({ baseUrl: "http://h", profile: {} }));

/** A token for the base URL on another host, which a header of the request names too. */
function spoofing(header: string, value = ELSEWHERE): Showing {
  return ({ baseUrl }) => ({
    headers: { [header]: value },
    token: { claims: { aud: baseUrl.replace(/\/\/[^/]+/, `//${ELSEWHERE}`) } },
  });
}

/** A good token with the JSON of one part rewritten before signing. */
function written(part: 0 | 1): Showing {
  return async (receiver) => {
    const parts = (await mint(receiver, { alg: "ES256" })).split(".").slice(0, 2);
    const json: unknown = JSON.parse(Buffer.from(parts[part] ?? "", "base64url").toString());
    parts[part] = Buffer.from(JSON.stringify(json, null, 1)).toString("base64url");
    const input = parts.join(".");
    const key = PAIRS.find(({ alg }) => alg === "ES256")?.privateKey;
    if (!key) throw new Error("no key for ES256");
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(algorithm, key, Buffer.from(input));
    return { authorization: `Bearer ${input}.${Buffer.from(signature).toString("base64url")}` };
  };
}

function all(prefix: string, showings: Readonly<Record<string, Showing>>): Record<string, Showing> {
  return Object.fromEntries(
    Object.entries(showings).map(([name, showing]) => [`${prefix}-${name}`, showing]),
  );
}

const scoped = (scope: unknown): Showing => claiming({ scope });
const expiring = (exp: unknown): Showing => claiming({ exp });

/** By fault, what shows the faults that are about single claims. */
export const CLAIM_SHOWINGS: Readonly<Record<string, Showing>> = {
  ...all(
    "issuer",
    Object.fromEntries(Object.entries(onIssuer).map(([name, iss]) => [name, claiming({ iss })])),
  ),
  ...all("audience", {
    ...Object.fromEntries(
      AUDIENCE_FAULTS.map((name) => [
        name,
        claiming((receiver) => ({ aud: onAudience(receiver)[name] })),
      ]),
    ),
    "azp-in-its-place": claiming(({ baseUrl }) => ({ aud: undefined, azp: baseUrl })),
    "resource-enough": claiming(({ baseUrl }) => ({ aud: "https://h", resource: baseUrl })),
    "request-url": (receiver) => ({
      operation: "listOrganizations",
      token: { claims: { aud: `${receiver.baseUrl}/orgs` } },
    }),
    "from-host": (receiver) => {
      const baseUrl = receiver.baseUrl.replace("127.0.0.1", "localhost");
      return { baseUrl, token: { claims: { aud: baseUrl } } };
    },
    "from-x-forwarded-host": spoofing("x-forwarded-host"),
    "from-forwarded": spoofing("forwarded", `for=1.2.3.4;host=${ELSEWHERE}`),
    "from-x-forwarded-proto": ({ baseUrl }) => ({
      headers: { "x-forwarded-proto": "https" },
      token: { claims: { aud: baseUrl.replace("http:", "https:") } },
    }),
    "from-x-forwarded-port": ({ baseUrl }) => ({
      headers: { "x-forwarded-port": "8443" },
      token: { claims: { aud: baseUrl.replace(/:\d+/, ":8443") } },
    }),
    "from-x-forwarded-prefix": ({ baseUrl }) => ({
      headers: { "x-forwarded-prefix": "/sync" },
      token: { claims: { aud: baseUrl.replace(/:\d+/, "$&/sync") } },
    }),
  }),
  ...all("expiry", {
    unchecked: expiring(now - 3600),
    "missing-accepted": expiring(undefined),
    "zero-accepted": expiring(0),
    "falsy-accepted": expiring(null),
    "absent-or-null-accepted": expiring(null),
    "negative-accepted": expiring(-1),
    "32-bit": expiring(now + 3600 - 2 ** 32),
    "only-numbers-compared": expiring(true),
    "loosely-compared": expiring("never"),
    "text-not-compared": expiring("1"),
    "compared-as-text": expiring(9),
    "only-integers-compared": expiring(0.5),
    "in-milliseconds": expiring(now - 3600),
    "judged-by-iat": expiring(now - 3600),
    "skew-ten-minutes": expiring(now - 400),
    "skew-two-hours": expiring(now - 4000),
    "nbf-ignored": claiming({ nbf: now + 3600 }),
  }),
  ...all("scope", {
    unchecked: scoped("openid"),
    "any-known": scoped("org.changes:write"),
    "read-for-write": () => ({
      operation: "editOrganization",
      token: { claims: { scope: "org:read" } },
    }),
    "write-for-read": scoped("org:write"),
    "org-for-changes": () => ({
      operation: "readChangesFeed",
      token: { claims: { scope: "org:read" } },
    }),
    "changes-for-org": scoped("org.changes:read"),
    "by-substring": scoped(SCOPES.map((scope) => `x${scope}x`).join(" ")),
    "by-prefix": scoped(SCOPES.map((scope) => `${scope}x`).join(" ")),
    "by-suffix": scoped("xorg:read"),
    "part-of-required": scoped("org:re"),
    "by-word": scoped("org:read-x"),
    narrower: scoped("org:read:own"),
    "resource-only": scoped("org"),
    "action-only": scoped("read"),
    "case-ignored": scoped("Org:Read"),
    "by-pattern": () => ({
      operation: "readChangesFeed",
      token: { claims: { scope: "org-changes:read" } },
    }),
    "punctuation-ignored": scoped("org.read"),
    "url-ignored": scoped("https://elsewhere.example/org:read"),
    admin: scoped("openid admin"),
    wildcard: scoped("*"),
    "resource-wildcard": scoped("org:*"),
    "wildcard-elsewhere": scoped("*:read"),
    "split-by-commas": scoped("x,org:read"),
    "split-by-semicolons": scoped("x;org:read"),
    "split-by-pluses": scoped("x+org:read"),
    "split-by-percent-encoding": scoped("x%20org:read"),
    "missing-accepted": scoped(undefined),
    "falsy-accepted": scoped(""),
    "absent-or-null-accepted": scoped(null),
    "blanks-accepted": scoped(" "),
    "only-strings-compared": scoped(1),
    "object-member": scoped({ "org:read": 1 }),
    "from-scp": claiming({ scope: undefined, scp: "org:read" }),
    "from-scopes": claiming({ scope: undefined, scopes: ["org:read"] }),
    "from-roles": claiming({ scope: undefined, roles: ["org:read"] }),
    "from-permissions": claiming({ scope: undefined, permissions: ["org:read"] }),
    "from-authorities": claiming({ scope: undefined, authorities: ["org:read"] }),
    "from-groups": claiming({ scope: undefined, groups: ["org:read"] }),
    "from-admin-claim": claiming({ scope: undefined, admin: true }),
    "from-realm-access": claiming({ scope: undefined, realm_access: { roles: ["org:read"] } }),
    "from-resource-access": claiming({
      scope: undefined,
      resource_access: { sync: { roles: ["org:read"] } },
    }),
    "from-query": () => ({ query: "?scope=org:read", token: { claims: { scope: "openid" } } }),
    "from-header": () => ({
      headers: { "x-scopes": "org:read" },
      token: { claims: { scope: "openid" } },
    }),
    "only-first": scoped("openid org:read"),
    "only-last": scoped("org:read openid"),
    "only-alone": scoped("org:read openid"),
    "needs-all": scoped("org:read"),
    "write-needs-read": () => ({
      operation: "editOrganization",
      token: { claims: { scope: "org:write" } },
    }),
    "foreign-refused": scoped("org:read openid"),
  }),
  "sub-missing-accepted": claiming({ sub: undefined }),
  "sub-void-accepted": claiming({ sub: "" }),
  "iat-missing-accepted": claiming({ iat: undefined }),
  "iat-void-accepted": claiming({ iat: "never" }),
  "grant-type-required": () => ({}),
  "grant-type-client-credentials-only": claiming({ grant_type: "authorization_code" }),
  "nested-claims-refused": claiming({ extra: { deep: 1 } }),
  "azp-refused": claiming({ azp: "client" }),
  "unknown-headers-refused": () => ({ token: { header: { note: 1 } } }),
  "json-written-anew": written(1),
  "header-json-written-anew": written(0),
  "whole-seconds-only": claiming({ exp: now + 600.5 }),
  "repeated-scope-refused": scoped("org:read org:read"),
  "nbf-refused": claiming({ nbf: now - 60, iat: now - 60 }),
};
