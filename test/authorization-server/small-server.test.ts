import { describe, expect, test } from "vitest";

import { unsettled } from "../support/run-against.ts";
import { CONSENT_COMMAND } from "./clients.ts";
import { judge, SECRET_FILE } from "./judge.ts";
import type { Habits } from "./small-server.ts";

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
  ])("%s", async ([, habits, more]) => {
    const { results, finished } = await judge(habits, more);
    expect(unsettled(results)).toEqual([]);
    expect(finished.suiteErrors).toEqual([]);
  });
});

test("if the login comes first, only what a flow shows is judged", async () => {
  const { results } = await judge({ loginFirst: true }, {}, ["authorization-server.redirect"]);
  const passed = results.filter(({ outcome }) => outcome === "pass");
  expect(passed.map(({ id }) => id.split("/")[1])).toEqual([
    "other-path@web",
    "twice-wrong-last@web",
    "twice-wrong-first@web",
  ]);
  const open = results.filter(({ outcome }) => outcome === "inconclusive");
  expect(open.map(({ id }) => id)).toContain("authorization-server.redirect/other-host@web");
  expect(new Set(open.map(({ level }) => level))).toEqual(new Set(["MUST"]));
  expect(results.filter(({ outcome }) => /fail|warn/.test(outcome))).toEqual([]);
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
  const kept = await judge({ lifetime: 6 }, { waitSeconds: 1 }, patterns);
  expect(kept.results.map(({ outcome }) => outcome)).toEqual(["not-applicable"]);
});

test("ECDSA signatures are forged without the server's key", async () => {
  const patterns = ["receiver.signature"];
  const { results } = await judge({}, {}, patterns, { testIssuer: false });
  expect(unsettled(results)).toEqual([]);
  const forged = results.filter(({ id }) => id.startsWith("receiver.signature/ecdsa-"));
  expect(forged.map(({ outcome }) => outcome)).toEqual(Array(7).fill("pass"));
});

describe("the faults of the server are found", () => {
  test.for<[rule: string, habits: Habits]>([
    ["authorization-server.authorization-code", { codesTwice: true }],
    ["authorization-server.pkce", { noPkce: true }],
  ])("by %s", async ([rule, habits]) => {
    const { results } = await judge(habits);
    const failed = results.filter(({ outcome }) => outcome === "fail");
    expect([...new Set(failed.map((one) => one.rule))]).toEqual([rule]);
  });
});
