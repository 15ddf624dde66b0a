import { expect, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import { createAges } from "../../src/probe/token-source.ts";
import { aged, draftToken, type TokenForm } from "../../src/tokens/draft.ts";
import { referenceTarget } from "../support/target.ts";

const START_MS = 1_700_000_000_000;

/** The claims of the tokens that a run draws with a new age each, and when it drew them. */
function drawnTokens(
  stepMs: number,
  typ: TokenForm["typ"],
): { readonly second: number; readonly claims: Readonly<Record<string, unknown>> }[] {
  const target = referenceTarget();
  let now = 0;
  const newAge = createAges(() => now);
  return Array.from({ length: 3000 }, () => {
    now += stepMs;
    const atMs = START_MS + now;
    const form: TokenForm = { typ, bound: false, scopes: "all", clockOffsetSeconds: 0, atMs };
    const draft = draftToken(target, OPERATIONS.viewOrganization, form, undefined);
    return { second: Math.floor(atMs / 1000), claims: aged(draft, newAge()).claims };
  });
}

test.each([
  ["a slow run", 20],
  ["a fast run", 2.5],
])("no two tokens of %s are equal", (_, stepMs) => {
  const texts = drawnTokens(stepMs, "JWT").map(({ claims }) => JSON.stringify(claims));
  expect(new Set(texts).size).toBe(texts.length);
});

test("no two tokens of a run have the same `jti`", () => {
  const ids = drawnTokens(2.5, "at+jwt").map(({ claims }) => claims["jti"]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a token was issued in the last five minutes, and lives for 15 minutes at most", () => {
  for (const { second, claims } of drawnTokens(2.5, "JWT")) {
    const [iat, exp] = [Number(claims["iat"]), Number(claims["exp"])];
    expect(second - iat).toBeLessThan(300);
    expect(exp - iat).toBeLessThan(900);
    expect(exp - second).toBeGreaterThan(500);
  }
});
