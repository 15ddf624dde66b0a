import { describe, expect, test } from "vitest";

import { describedClients, judge, outcomeOf, SECRET } from "./judge.ts";
import type { Habits } from "./small-server-habits.ts";

const SHARED_NAMES = { "org.changes:read": "org:read", "org.changes:write": "org:write" };
const BINDING_CLAIM = "https://example.com/org_id";
const asksToWrite = (form: URLSearchParams): boolean =>
  form.getAll("scope").join(" ").toLowerCase().includes("org:write");
const isOfService = (form: URLSearchParams): boolean =>
  form.get("client_secret") === SECRET && form.get("grant_type") === "client_credentials";
const hasWrongSecret = (basic = ""): boolean => atob(basic).endsWith("x");

describe("a token endpoint that is away refuses nothing", () => {
  test("a client with a wrong secret", async () => {
    const name = "authorization-code/wrong-secret@web";
    expect(await outcomeOf(name, {})).toBe("pass");
    const busy: Habits = { instead: (_form, basic) => (hasWrongSecret(basic) ? 503 : undefined) };
    expect(await outcomeOf(name, busy)).toBe("inconclusive");
  });

  test.each(["beyond", "look-alikes", "repeated"])(
    "a scope that the client is not registered for: %s",
    async (what) => {
      const busy: Habits = { instead: (form) => (asksToWrite(form) ? 503 : undefined) };
      const clients = describedClients({ service: ["org:read"] });
      expect(await outcomeOf(`scope/${what}@service`, busy, { clients })).toBe("inconclusive");
    },
  );
});

test.each([
  [400, "warn"],
  [500, "warn"],
  [401, "inconclusive"],
  [408, "inconclusive"],
  [502, "inconclusive"],
])("an unknown parameter that is answered with %s: %s", async (status, outcome) => {
  const habits: Habits = { instead: (form) => (form.has("conformance") ? status : undefined) };
  expect(await outcomeOf("responses/unknown-parameter@service", habits)).toBe(outcome);
});

test.each([
  [400, "warn"],
  [401, "inconclusive"],
])("an empty scope that is answered with %s: %s", async (status, outcome) => {
  const habits: Habits = { instead: (form) => (form.get("scope") === "" ? status : undefined) };
  expect(await outcomeOf("responses/empty-scope@service", habits)).toBe(outcome);
});

test("a client that gets one token and never another is a failure", async () => {
  let asked = 0;
  const once: Habits = { instead: (form) => (isOfService(form) && ++asked > 1 ? 400 : undefined) };
  const { results } = await judge(once, {}, [
    "authorization-server.client-credentials/{token,again}@service",
  ]);
  expect(results.map(({ outcome }) => outcome)).toEqual(["pass", "fail"]);
});

test("the order of scopes in a response does not matter", async () => {
  expect(await outcomeOf("responses/empty-scope@service", { anyOrder: true })).toBe("pass");
});

test("a receiver may refuse a token whose binding claim is null", async () => {
  const name = "accepted/service@viewOrganization";
  expect(await outcomeOf(name, {})).toBe("pass");
  const unbound: Habits = { claims: (given) => ({ ...given, [BINDING_CLAIM]: null }) };
  expect(await outcomeOf(name, unbound)).toBe("observed");
});

describe("a token endpoint that breaks at", () => {
  const SERVER_ERROR = "authorization-server.responses/server-error";
  const ERROR_SHAPE = "authorization-server.responses/error-shape";
  const breaking: readonly [string, NonNullable<Habits["instead"]>, string][] = [
    ["a wrong secret", (_form, basic) => (hasWrongSecret(basic) ? 500 : undefined), "warn"],
    [
      "a code that was used already",
      (form) => (form.has("code") && isAgain(form) ? 500 : undefined),
      "warn",
    ],
    // The cases of the client report that it gets no token.
    ["good requests of a client", (form) => (isOfService(form) ? 500 : undefined), "pass"],
    [
      "nothing, while a gateway has no answer of it",
      (form) => (isOfService(form) ? 502 : undefined),
      "pass",
    ],
  ];
  let used = new Set<string | null>();
  const isAgain = (form: URLSearchParams): boolean => used.size === used.add(form.get("code")).size;

  test.each(breaking)("%s", async (_what, instead, outcome) => {
    used = new Set();
    const rules = [
      "authorization-server.{client-credentials,authorization-code}/*",
      SERVER_ERROR,
      ERROR_SHAPE,
    ];
    const { results } = await judge({ instead }, {}, rules);
    const outcomeOfCase = (name: string): string | undefined =>
      results.find(({ id }) => id === name)?.outcome;
    expect(outcomeOfCase(SERVER_ERROR)).toBe(outcome);
    // Such an answer is reported once.
    expect(outcomeOfCase(ERROR_SHAPE)).toBe("pass");
  });
});

test("a token endpoint that locks itself after wrong secrets is waited for no longer than the profile allows", async () => {
  const habits: Habits = {
    retryAfter: "60",
    instead: (_form, basic) => (hasWrongSecret(basic) ? 429 : undefined),
  };
  const rules = ["authorization-server.authorization-code/wrong-secret@web"];
  const { results, finished } = await judge(habits, { retryAfterSeconds: 0 }, rules);
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["inconclusive", "the status 429, Retry-After: 60"],
  ]);
  expect(finished.verdict).toBe("incomplete");
  expect(finished.setup).toHaveLength(1);
  expect(finished.setup[0]?.remedy).toMatch(/raise authorizationServer\.retryAfterSeconds in/);
});

describe("scopes that share a name are one for the server", () => {
  test.each([
    ["a client that lacks one of them is granted both", "beyond@web", { web: ["org:read"] }],
    ["a request for one of them is granted both", "narrow@service", {}],
  ])("%s", async (_what, name, scopes) => {
    const more = { clients: describedClients(scopes), scopes: SHARED_NAMES };
    expect(await outcomeOf(`scope/${name}`, { sharedNames: true }, more)).toBe("pass");
  });

  test("a client that gets what has another name has too much", async () => {
    const more = { clients: describedClients({ service: ["org:read"] }), scopes: SHARED_NAMES };
    expect(await outcomeOf("scope/beyond@service", { sharedNames: true }, more)).toBe("fail");
  });
});

test.each<[string, Habits, readonly string[] | undefined, string]>([
  ["what was asked for", {}, undefined, "pass"],
  ["more than was asked for", { grantsAll: true }, ["org:read"], "fail"],
])("a response need not state a grant of %s", async (_what, habits, service, outcome) => {
  const clients = describedClients(service && { service });
  expect(await outcomeOf("scope/said@service", { silent: true, ...habits }, { clients })).toBe(
    outcome,
  );
});

describe("a refresh token that is asked for more scopes than were consented to", () => {
  test.each<[Habits["refresh"], Habits, string]>([
    ["as consented", {}, "pass"],
    ["as asked", {}, "warn"],
    ["as consented", { prefix: "https://sync/", ownWords: true }, "pass"],
    ["as asked", { prefix: "https://sync/", ownWords: true }, "warn"],
  ])("gives them %s, %j", async (refresh, habits, outcome) => {
    const name = "authorization-code/refresh-wider@web";
    expect(await outcomeOf(name, { ...habits, ...(refresh && { refresh }) })).toBe(outcome);
  });
});

test.each<[Habits["idTokens"], string]>([
  [false, "not-applicable"],
  [true, "pass"],
  // Nothing in the contract tells it from an access token.
  ["for the receiver", "not-applicable"],
])("an ID token in place of an access token is judged where it differs: %s", async (...row) => {
  const [idTokens, outcome] = row;
  expect(await outcomeOf("accepted/id-token-as-token@web", { idTokens })).toBe(outcome);
});

test("whose account a token is of is observed, and the account is not named", async () => {
  const habits: Habits = { claims: () => ({ sub: "service" }) };
  const { results } = await judge(habits, {}, ["authorization-server.claims/subject@*"]);
  expect(results.map(({ id, outcome, actual }) => [id, outcome, actual])).toEqual([
    ["authorization-server.claims/subject@service", "observed", "`sub` is the client itself"],
    [
      "authorization-server.claims/subject@web",
      "observed",
      "`sub` is another account, as for service",
    ],
  ]);
});

test("the tokens of two clients are tried on a write, first of those that cannot read", async () => {
  const { service } = describedClients();
  const writer = { ...service, scopes: ["org.changes:write"] };
  const clients = { first: service, second: service, writer, last: service };
  const { results } = await judge({}, { clients }, ["authorization-server.accepted"]);
  const outcomes = results
    .filter(({ id }) => id.endsWith("@submitChange"))
    .map(({ id, outcome }) => [id.replace(/^.*\/(.*)@.*$/, "$1"), outcome]);
  expect(Object.fromEntries(outcomes)).toEqual({
    first: "pass",
    second: "not-applicable",
    writer: "pass",
    last: "not-applicable",
  });
});
