import { randomUUID } from "node:crypto";

import { describe, expect, test } from "vitest";

import { unsettled } from "../support/run-against.ts";
import { CONSENT_COMMAND } from "./clients.ts";
import { describedClients, judge, outcomeOf, SECRET, SECRET_FILE } from "./judge.ts";
import type { Habits } from "./small-server-habits.ts";
import { credentialsIn } from "./small-server.ts";

describe("a server on another code base conforms", () => {
  test.for<[what: string, habits: Habits, more?: Record<string, unknown>]>([
    ["plainly", {}],
    [
      "with a trailing slash in its issuer, granting all scopes",
      { slash: true, grantsAll: true },
      { narrowing: false },
    ],
    ["with its own scopes and audience beside the requested ones", { defaults: true }],
    [
      "with ID tokens, redirect URIs in any case, and a page after a refusal",
      { idTokens: true, anyCase: true, refusalPage: true },
    ],
    [
      "with its own words for scopes, revoking a code after a failed request",
      { prefix: "https://sync/", burns: true },
    ],
    [
      "with default scopes, a JSON object at every path, and its pages on another origin",
      { defaultsUnsaid: true, answersEverything: true, pagesElsewhere: true },
    ],
    [
      "with refresh tokens and another audience for no scope, checking requests after the login",
      { refresh: "as consented", loginFirst: true, audienceFor: (_flow, asked) => asked !== "" },
    ],
    ["with pushed authorization requests, as its metadata says", { pushed: "required" }],
    [
      "with a key for its algorithm alone, and tokens that are valid since a while",
      {
        publishedKey: { alg: "ES256", key_ops: ["verify"] },
        claims: () => ({ nbf: Date.now() / 1000 - 60 }),
      },
    ],
    ["with consent that was given before", { asksNobody: true }],
    [
      "with pushed authorization requests, which nothing announces",
      { pushed: "unsaid", refresh: "as consented" },
    ],
  ])("%s", async ([, habits, more]) => {
    const { results, finished } = await judge(habits, more);
    expect(unsettled(results)).toEqual([]);
    expect(finished.suiteErrors).toEqual([]);
  });
});

test("if the login comes first, redirects are seen where the suite can listen", async () => {
  const patterns = ["authorization-server.redirect"];
  const { results } = await judge({ loginFirst: true }, {}, patterns);
  expect(unsettled(results)).toEqual([]);
  const must = results.filter(({ level, outcome }) => level === "MUST" && outcome !== "pass");
  expect(must.map(({ id }) => id.split("/")[1])).toEqual([
    "javascript@web",
    "data@web",
    "error-scope@web",
    "error-challenge@web",
    "error-method@web",
    "error-mode@web",
    "error-prompt@web",
  ]);
  const failing = async (habits: Habits): Promise<string[]> => {
    const judged = await judge({ loginFirst: true, ...habits }, {}, patterns);
    const failed = judged.results.filter(({ outcome }) => outcome === "fail");
    // What the query and the fragment hold may be secret, but their names tell where it came from.
    for (const { actual } of failed)
      expect(actual).toMatch(/[?#](?:error|code)=…|^after the login/);
    return failed.map(({ id }) => id.split("/")[1] ?? "");
  };
  expect(await failing({ anyHost: true })).toEqual([
    "other-host@web",
    "longer-host@web",
    "userinfo@web",
  ]);
  expect(await failing({ anyPath: true })).toContain("traversal-encoded-twice@web");
  expect(await failing({ refusalAnywhere: true })).toEqual(["error-denied@web"]);
});

test.for(
  Object.entries<[reason: string, habits: Habits, id: string]>({
    "has no endpoint for pushed requests": [
      "its metadata requires pushed requests, but has no pushed_authorization_request_endpoint",
      { metadata: () => ({ require_pushed_authorization_requests: true }) },
      "web",
    ],
    "refuses a pushed request": [
      "the pushed authorization request was refused: the status 400, invalid_request",
      { pushed: "required" },
      "unknown",
    ],
    "refuses a request before the login": [
      "; the server answers this good request by the status 400 before any login",
      {},
      "unknown",
    ],
    "asks everybody to wait": [
      "there was no consent: the authorization endpoint answers by the status 429",
      { busy: true },
      "web",
    ],
  }),
)("where the server %s, the report says so", async ([, [reason, habits, id]]) => {
  const { service, web } = describedClients();
  const patterns = ["authorization-server.authorization-code/token@web"];
  const { results } = await judge(habits, { clients: { service, web: { ...web, id } } }, patterns);
  expect(results).toMatchObject([
    { outcome: "inconclusive", reason: expect.stringMatching(/there was no consent: /) },
  ]);
  expect(results[0]?.reason).toContain(reason);
});

test.for<[id: string, outcome: string, habits: Habits]>([
  ["authorization-code/denied@web", "pass", { remembersConsent: true }],
  ["authorization-code/pushed-no-authentication@web", "not-applicable", {}],
  ["authorization-code/pushed-no-authentication@web", "pass", { pushed: "unsaid" }],
  ["authorization-code/not-pushed@web", "not-applicable", { pushed: "unsaid" }],
  ["authorization-code/not-pushed@web", "pass", { pushed: "required" }],
  ["authorization-code/not-pushed@web", "pass", { pushed: "required", loginFirst: true }],
  ["authorization-code/denied@web", "pass", { refusalPage: true }],
  ["authorization-code/denied@web", "warn", { refusal: (redirect) => redirect.delete("state") }],
  ["authorization-code/denied@web", "warn", { refusal: (redirect) => redirect.delete("error") }],
  ["authorization-code/token@web", "pass", { jsonToScripts: true }],
  ["metadata/media-type", "pass", { metadataType: "application/json;charset=utf-8" }],
  ["metadata/media-type", "warn", { metadataType: "text/html" }],
  ["responses/error-description", "pass", { errorDescription: "`code` is used; see [1]" }],
  ["responses/error-description", "pass", { errorDescription: "" }],
  ["responses/error-description", "warn", { errorDescription: 'the "code" is used' }],
  ["responses/error-description", "warn", { errorDescription: "abgelehnt: ung\u00FCltig" }],
  ["responses/error-description", "warn", { errorDescription: ["code"] }],
])("%s: %s, %j", async ([id, outcome, habits]) => {
  const patterns = [
    "client-credentials/token@*",
    "client-credentials/wrong-*",
    "authorization-code/token@*",
  ];
  const { results } = await judge(
    habits,
    {},
    [id, ...patterns].map((one) => `authorization-server.${one}`),
  );
  expect(results.find((one) => one.id.endsWith(id))).toMatchObject({ outcome });
});

test("several clients of the profile may be one client of the server", async () => {
  const web = {
    secretFile: SECRET_FILE,
    id: "web",
    authentication: "client_secret_post",
    scopes: ["org:read", "org.changes:read"],
  };
  const coded = {
    ...web,
    flow: "authorization_code",
    redirectUri: "http://127.0.0.1:0/callback",
    consent: CONSENT_COMMAND,
  };
  const clients = {
    narrow: { ...web, flow: "client_credentials", scopes: ["org:read"] },
    service: { ...web, flow: "client_credentials" },
    web: coded,
    again: coded,
  };
  const { results } = await judge({ bothFlows: true }, { clients });
  expect(unsettled(results)).toEqual([]);
});

test("a token that expires soon is sent to the receiver after its expiry", async () => {
  const patterns = ["authorization-server.accepted/expired*"];
  const { results } = await judge({ lifetime: 6 }, {}, patterns);
  expect(results.map(({ outcome }) => outcome)).toEqual(["pass"]);
  expect(results[0]?.waitedMs).toBeGreaterThan(1000);
  const kept = await outcomeOf("accepted/expired*", { lifetime: 6 }, { waitSeconds: 1 });
  expect(kept).toBe("not-applicable");
});

test("ECDSA signatures are forged without the server's key", async () => {
  const patterns = ["receiver.signature"];
  const { results } = await judge({}, {}, patterns, { testIssuer: false });
  expect(unsettled(results)).toEqual([]);
  const forged = results.filter(({ id }) => id.startsWith("receiver.signature/ecdsa-"));
  expect(forged.map(({ outcome }) => outcome)).toEqual(Array(7).fill("pass"));
});

/** FAULT: only tokens for a refresh token have these claims. */
function refreshing(changed: NonNullable<Habits["claims"]>): Habits {
  return {
    refresh: "as consented",
    claims: (claims, flow) => (flow === "refresh_token" ? changed(claims, flow) : {}),
  };
}

/** Those that the reference server does not have: `src/reference/faults/authorization-server`. */
describe("the faults of the server are found", () => {
  test.for<[id: string, habits: Habits]>([
    ["authorization-code/token", { redirect: ({ href }) => href.replace("code=", "kode=") }],
    [
      "authorization-code/token",
      { redirect: ({ href }) => href.replace("code=", "code=earlier&code=") },
    ],
    [
      "authorization-code/redirect-host",
      { sameUri: (given, wanted) => pathOf(given) === pathOf(wanted) },
    ],
    [
      "authorization-code/redirect-beginning",
      { sameUri: (given, wanted) => given !== "" && wanted.startsWith(given) },
    ],
    ["pkce/missing-without-method", { methodNeeded: true }],
    ["pkce/later", { latestChallenge: true }],
    ["pkce/missing-after-wrong", { comparesOnce: true }],
    [
      "pkce/challenge-case",
      { sameHash: (hash, challenge) => hash.toLowerCase() === challenge.toLowerCase() },
    ],
    [
      "pkce/challenge-beginning",
      { sameHash: (hash, challenge) => hash.slice(0, 16) === challenge.slice(0, 16) },
    ],
    ["redirect/other-path", { errorsFirst: true, anyPath: true }],
    ["redirect/other-path", { pagesElsewhere: true, anyPath: true }],
    ["redirect/other-path", { pushed: "required", anyPath: true }],
    ["pkce/wrong", { pushed: "required", noPkce: true }],
    ["authorization-code/pushed-no-authentication", { pushed: "unsaid", openPush: true }],
    ["authorization-code/not-pushed", { pushed: "only said", asksNobody: true }],
    ["claims/every", { refresh: "as consented", audienceFor: (flow) => flow !== "refresh_token" }],
    [
      "claims/every",
      { audienceFor: (flow, asked) => flow !== "client_credentials" || asked !== "org:read" },
    ],
    ["claims/every", refreshing(({ scope }) => ({ scope: String(scope).split(" ") }))],
    ["claims/every", refreshing(({ scope }) => ({ scope: String(scope).replaceAll(" ", ",") }))],
    ["claims/refreshed-subject", refreshing(() => ({ sub: "web" }))],
    ["scope/claim", refreshing(() => ({ scope: "org:read" }))],
    ["scope/refreshed", { ...refreshing(() => ({ scope: "" })), silent: true }],
    ["scope/refreshed", { ...refreshing(() => ({ scope: "openid" })), silent: true }],
    ["accepted/refreshed", refreshing(() => ({ exp: 300 }))],
    [
      "client-credentials/other-method",
      {
        authenticates: (form, basic) =>
          basic === undefined && form.get("client_secret") !== SECRET
            ? undefined
            : (form.get("client_id") ?? atob(basic ?? "").split(":")[0]),
      },
    ],
  ])("by %s", async ([id, habits]) => {
    const { results } = await judge(habits, {}, [`authorization-server.${id}{,@*}`]);
    const failed = results.filter(({ outcome }) => outcome === "fail" || outcome === "warn");
    expect(failed.map((one) => one.id.split("@")[0])).toContain(`authorization-server.${id}`);
  });

  test.for<[id: string, habits: Habits]>([
    ["pkce/wrong@second", { noPkce: true, laxFor: "second" }],
    ["redirect/longer-path@second", { anyPath: true, laxFor: "second" }],
    ["authorization-code/mixed-client@web", { codesByName: true }],
    [
      "authorization-code/wrong-secret@second",
      {
        authenticates: (form, basic) => {
          const [id, given] = credentialsIn(form, basic);
          return given === SECRET || (id === "second" && given === id) ? id : undefined;
        },
      },
    ],
  ])("at a second client alone, or by it: %s", async ([id, habits]) => {
    const { service, web } = describedClients();
    const clients = { service, web, second: { ...web, id: "second" } };
    const rule = `authorization-server.${id.split("/")[0]}`;
    const { results } = await judge(habits, { clients }, [rule]);
    const failed = results.filter(({ outcome }) => outcome === "fail").map((one) => one.id);
    expect(failed).toEqual([`authorization-server.${id}`]);
  });

  test("but not where two clients are served well", async () => {
    const { service, web } = describedClients();
    const clients = { service, web, second: { ...web, id: "second" } };
    const { results } = await judge({}, { clients });
    expect(unsettled(results)).toEqual([]);
  });

  test.for<[what: string, outcome: string, code: (count: number) => string]>([
    [
      "a time and a counter",
      "warn",
      (count) => `6745d1f27c3e5a9b01${String(count).padStart(6, "0")}`,
    ],
    ["a version 7 UUID", "pass", () => `0190163d-8694-7${randomUUID().slice(15)}`],
  ])("codes that are %s: %s", async ([, outcome, code]) => {
    let count = 0;
    const patterns = ["authorization-server.authorization-code"];
    const { results } = await judge({ code: () => code(++count) }, {}, patterns);
    const found = results.find(({ id }) => id.includes("/guessable@"));
    expect(found).toMatchObject({ outcome });
  });

  test.for<[id: string, habits: Habits, words: string]>([
    [
      "authorization-code/token@web",
      { redirect: ({ href }) => href.replace("code=", "token=") },
      "the redirect had no code, but state, token",
    ],
    [
      "authorization-code/token@web",
      { redirect: ({ href }) => href.replace("?", "#") },
      "the redirect had no code, and no other parameter in its query (a fragment is not seen)",
    ],
    [
      "authorization-code/token@web",
      {
        authenticates: () => undefined,
        metadata: () => ({ token_endpoint_auth_methods_supported: ["client_secret_post"] }),
      },
      "; the profile's method is client_secret_basic, and its metadata lists client_secret_post",
    ],
    [
      "scope/claim@service",
      { claims: ({ scope }) => ({ scope: String(scope).replaceAll(" ", "+") }) },
      "it has none: org:read+org:write",
    ],
    [
      "keys/published",
      { metadata: (metadata) => ({ ...metadata, jwks_uri: "/jwks" }) },
      "the jwks_uri of its metadata is not a complete http or https URL",
    ],
  ])("%s says what it saw", async ([id, habits, words]) => {
    const { results } = await judge(habits, {}, [`authorization-server.${id}`]);
    const [found] = results;
    expect(`${found?.reason ?? ""}${found?.actual ?? ""}`).toContain(words);
  });

  test("a default grant beyond the client's scopes", async () => {
    const clients = describedClients({ service: ["org:read"] });
    const habits = { defaultsUnsaid: true };
    expect(await outcomeOf("scope/default@service", habits, { clients })).toBe("fail");
  });

  test.for<[id: string, habits: Habits]>([
    [
      "authorization-code/refresh-no-authentication",
      { refresh: "as consented", openRefresh: true },
    ],
    ["recommended-claims/every", refreshing((_claims, flow) => ({ grant_type: flow }))],
    ["keys/kid", { otherKey: true, header: { kid: "other" } }],
    ["keys/kid", { otherKey: true, header: { kid: undefined } }],
    ["keys/use", { publishedKey: { key_ops: ["encrypt"] } }],
    ["keys/use", { publishedKey: { alg: "ES384" } }],
    ["claims/lifetime", { claims: () => ({ nbf: Date.now() / 1000 + 3600 }) }],
    ["claims/every", refreshing(() => ({ exp: 9e9 }))],
  ])("by the warning of %s", async ([id, habits]) => {
    const patterns = [`authorization-server.${id}*`];
    const { results } = await judge(habits, {}, patterns);
    expect(results.map(({ outcome }) => outcome)).toContain("warn");
  });
});

function pathOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).pathname : undefined;
}
