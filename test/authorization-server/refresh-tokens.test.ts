import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";

import { describedClients, judge, outcomeOf, SECRET } from "./judge.ts";
import type { Habits } from "./small-server-habits.ts";
import { credentialsIn } from "./small-server.ts";

describe("what was not issued as a refresh token", () => {
  const name = "authorization-code/refresh-unissued@web";
  const refresh = "as consented";
  test.for<[what: string, outcome: string, habits: Habits]>([
    ["is none", "pass", { refresh }],
    ["is none, and misuse revokes the others", "pass", { refresh, rotates: true }],
    ["does not matter without refresh tokens", "not-applicable", {}],
    [
      "is one, if it is an access token",
      "warn",
      { refresh, refreshesOther: (given) => (given.includes(".") ? scopeIn(given) : undefined) },
    ],
    [
      "is one, if it is empty",
      "warn",
      { refresh, refreshesOther: (given, known) => (given === "" ? lastOf(known) : undefined) },
    ],
    [
      "is one, if it is a code",
      "warn",
      {
        refresh,
        code: () => `code-${crypto.randomUUID()}`,
        refreshesOther: (given, known) => (given.startsWith("code-") ? lastOf(known) : undefined),
      },
    ],
    [
      "is one, if it begins like one",
      "warn",
      {
        refresh,
        refreshesOther: (given, known) =>
          [...known].find(([one]) => one.slice(0, 8) === given.slice(0, 8))?.[1],
      },
    ],
    [
      "is one, if only the signature of a JWT differs",
      "warn",
      {
        refresh,
        refreshToken: () => jwt({ jti: crypto.randomUUID() }),
        refreshesOther: (given, known) =>
          [...known].find(([one]) => one.split(".")[1] === given.split(".")[1])?.[1],
      },
    ],
  ])("%s: %s", async ([, outcome, habits]) => {
    expect(await outcomeOf(name, habits)).toBe(outcome);
  });
});

function lastOf(known: ReadonlyMap<string, string>): string | undefined {
  return [...known.values()].at(-1);
}

function scopeIn(token: string): string {
  return String(decodeJwt(token)["scope"]);
}

function jwt(claims: object): string {
  const [header, payload, signature] = [{ alg: "HS256" }, claims, crypto.randomUUID()].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return `${header}.${payload}.${signature}`;
}

describe("the refresh token of a client without a secret", () => {
  const open: Habits = {
    authenticates: (form, basic) => {
      const [id, given] = credentialsIn(form, basic);
      return id === "second" || given === SECRET ? id : undefined;
    },
  };
  const { service, web } = describedClients();
  const { secretFile: _secretFile, ...second } = { ...web, secretFile: "" };
  const clients = { service, web, second: { ...second, id: "second", authentication: "none" } };

  test.for<[what: string, outcome: string, habits: Habits]>([
    ["there is none", "not-applicable", {}],
    ["it is replaced", "pass", { refresh: "as consented", rotates: true }],
    ["it is good once", "pass", { refresh: "as consented", refreshesOnce: true }],
    ["it stays the same", "warn", { refresh: "as consented" }],
  ])("%s: %s", async ([, outcome, habits]) => {
    const name = "authorization-code/refresh-rotation@second";
    expect(await outcomeOf(name, { ...open, ...habits }, { clients })).toBe(outcome);
  });
});

test.for<[what: string, outcome: string, refreshToken: (count: number) => string]>([
  ["short", "warn", (count) => `rt${count}`],
  [
    "a time and a counter",
    "warn",
    (count) => `6745d1f27c3e5a9b01${String(count).padStart(6, "0")}`,
  ],
  ["random", "pass", () => crypto.randomUUID()],
])("refresh tokens that are %s: %s", async ([, outcome, refreshToken]) => {
  let count = 0;
  const habits: Habits = { refresh: "as consented", refreshToken: () => refreshToken(++count) };
  const { results } = await judge(habits, {}, ["authorization-server.authorization-code"]);
  const found = results.find(({ id }) => id.includes("/refresh-guessable@"));
  expect(found).toMatchObject({ outcome });
});
