import { compactVerify, createLocalJWKSet } from "jose";
import { expect, test } from "vitest";

import type { Mutation } from "../../src/mutations/mutation.ts";
import {
  grantTypes,
  greaterS,
  nestedClaim,
  registeredClaims,
  spellings,
} from "../../suites/shared/mutations/valid-variations.ts";
import { mintBoth, named, payloadOf, targetFor } from "./support.ts";

const target = targetFor("RS256");
const find = createLocalJWKSet({
  keys: target.testIssuer.keys.map(({ publicJwk }) => ({ ...publicJwk })),
});

async function verified(mutation: Mutation): Promise<Record<string, unknown>> {
  const { changed } = await mintBoth(target, mutation);
  const { payload } = await compactVerify(changed, find);
  return JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>;
}

test.each(
  [...grantTypes, nestedClaim, ...registeredClaims, ...spellings].map(
    (mutation) => [mutation.name, mutation] as const,
  ),
)("a token with %s is valid", async (_name, mutation) => {
  const claims = await verified(mutation);
  expect(claims).toMatchObject({
    iss: target.testIssuer.url,
    sub: target.subject,
    aud: target.audience,
  });
  const lifetime = Number(claims["exp"]) - Number(claims["iat"]);
  expect(lifetime).toBeCloseTo(660);
});

test("the respellings of the JSON have the same claims and different texts", async () => {
  for (const name of ["payload-whitespace", "escaped-name", "escaped-slashes", "exponent"]) {
    const { good, changed } = await mintBoth(target, named(spellings, name));
    expect(payloadOf(changed)).not.toBe(payloadOf(good));
    expect(JSON.parse(payloadOf(changed))).toEqual(JSON.parse(payloadOf(good)));
  }
});

test("every `jti` is different", async () => {
  const mutation = named(registeredClaims, "jti");
  expect((await verified(mutation))["jti"]).not.toBe((await verified(mutation))["jti"]);
});

test("the larger `s` is more than half the order, and verifies", async () => {
  const mutation = greaterS(target)?.greater as Mutation;
  for (let drawn = 0; drawn < 8; drawn++) {
    const { changed } = await mintBoth(target, mutation);
    await compactVerify(changed, find);
    const signature = Buffer.from(changed.split(".")[2] ?? "", "base64url");
    expect(signature.length).toBe(64);
    expect(signature.readUInt32BE(32)).toBeGreaterThan(0x7fffffff - 1);
  }
});

test("without ES256 there is no `s`", () => {
  const algorithms = ["RS256"];
  expect(greaterS({ ...target, testIssuer: { ...target.testIssuer, algorithms } })).toBeUndefined();
});
