import { createLocalJWKSet, type JWK, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";

import type { Mutation } from "../../src/mutations/mutation.ts";
import { decodeToken, memberDifferences } from "../../src/probe/difference/difference.ts";
import { onlyMutation } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";
import { rule } from "../../suites/receiver/signature.ts";
import { mintBoth, targetFor } from "./support.ts";

/** Verifies as a receiver with jose does, with the one check that the library leaves to its users. */
async function verify(target: Target, token: string): Promise<void> {
  const keys = target.testIssuer.keys.map(({ publicJwk }) => publicJwk as unknown as JWK);
  const { payload } = await jwtVerify(token, createLocalJWKSet({ keys }), {
    issuer: target.testIssuer.url,
    audience: target.audience,
    algorithms: [...target.testIssuer.algorithms],
    requiredClaims: ["exp"],
  });
  if (payload["scope"] !== "org:read") throw new Error("the scope is missing");
}

function changesFor(target: Target, ...levels: readonly string[]): (readonly [string, Mutation])[] {
  return rule
    .cases(target)
    .filter(
      ({ operation, level }) =>
        operation === "viewOrganization" && levels.includes(level ?? rule.level),
    )
    .map(onlyMutation)
    .filter((mutation) => mutation !== undefined)
    .filter(({ inapplicable }) => inapplicable?.(target) === undefined)
    .map((mutation) => [mutation.name, mutation] as const);
}

describe.each(["RS256", "PS256", "ES256", "EdDSA"])("with an issuer that signs with %s", (alg) => {
  const target = targetFor(alg);

  test("a token without a mutation is accepted", async () => {
    const { good, changed } = await mintBoth(target, { name: "nothing", what: "nothing" });
    await expect(verify(target, good)).resolves.toBeUndefined();
    await expect(verify(target, changed)).resolves.toBeUndefined();
  });

  test.each(changesFor(target, "MUST"))("jose refuses %s", async (_name, mutation) => {
    const { good, changed } = await mintBoth(target, mutation);
    expect(changed).not.toBe(good);
    await expect(verify(target, changed)).rejects.toBeInstanceOf(Error);
  });

  test("every mutation can be made, differs from a good token, and fits into HTTP headers", async () => {
    for (const [name, mutation] of changesFor(target, "MUST", "SHOULD", "OBSERVE")) {
      const { good, changed } = await mintBoth(target, mutation);
      expect([name, changed === good]).toEqual([name, false]);
      expect([name, changed.length < 7600]).toEqual([name, true]);
      expect([name, /^[\x21-\x7e ]*$/.test(changed)]).toEqual([name, true]);
    }
  });
});

test("every mutation can be made for an issuer whose name is not a URL", async () => {
  const target = targetFor("RS256", "the issuer");
  for (const [, mutation] of changesFor(target, "MUST", "SHOULD", "OBSERVE")) {
    const { good, changed } = await mintBoth(target, mutation);
    expect(changed).not.toBe(good);
  }
});

test("the reported difference names exactly what was changed", async () => {
  const target = targetFor("RS256");
  const shown = await Promise.all(
    changesFor(target, "MUST", "SHOULD", "OBSERVE").map(async ([name, mutation]) => {
      const { good, changed } = await mintBoth(target, mutation);
      const members = memberDifferences(decodeToken(good), decodeToken(changed)).map(
        (one) => `${one.part} ${"name" in one ? one.name : ""}`,
      );
      return [name, members.join(", ")] as const;
    }),
  );
  expect(Object.fromEntries(shown.filter(([, members]) => members !== ""))).toMatchSnapshot();
});
