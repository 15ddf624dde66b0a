import { describe, expect, test } from "vitest";

import { OTHER, PRIMARY } from "../../src/reference/store.ts";
import { describedClients, outcomeOf } from "./judge.ts";
import type { Habits } from "./small-server-habits.ts";

const BINDING = "https://example.com/org_id";

/** The claims of the first token of a flow, and those of the tokens for a refresh token. */
function changing(first: object, refreshed: object): Habits {
  return {
    refresh: "as consented",
    claims: (_claims, flow) => (flow === "refresh_token" ? refreshed : first),
  };
}

describe("the organization of the token for a refresh token", () => {
  test.for<[what: string, outcome: string, habits: Habits]>([
    ["is the same", "pass", changing({ [BINDING]: PRIMARY }, { [BINDING]: PRIMARY })],
    ["is another one", "warn", changing({ [BINDING]: PRIMARY }, { [BINDING]: OTHER })],
    ["is none in both", "not-applicable", changing({}, {})],
  ])("%s: %s", async ([, outcome, habits]) => {
    expect(await outcomeOf("claims/refreshed-organization@web", habits)).toBe(outcome);
  });
});

describe("`null` in the binding claim means that it is absent", () => {
  const { service, web } = describedClients();
  const bound = { clients: { service, web: { ...web, organization: "primary" } } };
  test.for<[id: string, outcome: string, habits: Habits]>([
    ["binding", "pass", changing({ [BINDING]: PRIMARY }, {})],
    ["binding", "warn", changing({ [BINDING]: null }, {})],
    ["every", "warn", changing({ [BINDING]: PRIMARY }, { [BINDING]: null })],
    ["every", "pass", changing({ [BINDING]: null }, {})],
  ])("%s: %s", async ([id, outcome, habits]) => {
    expect(await outcomeOf(`recommended-claims/${id}@web`, habits, bound)).toBe(outcome);
  });
});

describe("the `jti` of tokens", () => {
  let count = 0;
  test.for<[what: string, outcome: string, claims: () => object]>([
    ["is absent", "not-applicable", () => ({})],
    ["differs", "pass", () => ({ jti: `id-${++count}` })],
    ["is the same", "warn", () => ({ jti: "id" })],
    ["is a number", "warn", () => ({ jti: ++count })],
  ])("%s: %s", async ([, outcome, claims]) => {
    expect(await outcomeOf("claims/token-id", { claims })).toBe(outcome);
  });
});

test.for<[what: string, outcome: string, habits: Habits]>([
  ["the scopes of the first token", "pass", { silent: true }],
  ["fewer scopes, and does not say so", "fail", { silent: true, ...refreshedTo("org:read") }],
  ["fewer scopes, and says so", "pass", refreshedTo("org:read")],
])("a refresh token gives %s: %s", async ([, outcome, habits]) => {
  const claims: Habits = { refresh: "as consented", ...habits };
  expect(await outcomeOf("scope/said@web", claims)).toBe(outcome);
});

function refreshedTo(scope: string): Habits {
  return { claims: (_claims, flow) => (flow === "refresh_token" ? { scope } : {}) };
}

test.for<[what: string, outcome: string, habits: Habits]>([
  ["a new token", "pass", { lifetime: 3 }],
  ["the expired token", "fail", { lifetime: 3, claims: ({ iat, exp }) => (kept ??= { iat, exp }) }],
  ["a token that lives for long", "not-applicable", {}],
])("after the expiry, the flow gives %s: %s", async ([, outcome, habits]) => {
  expect(await outcomeOf("client-credentials/again-expired@service", habits)).toBe(outcome);
});

let kept: object | undefined;
