import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { type KeyRotation, openRotation } from "../../src/keys/serve.ts";
import { BUNDLED_KEYS } from "../../src/profile/issuer-keys.ts";

const { keys } = JSON.parse(readFileSync(join(BUNDLED_KEYS, "jwks.json"), "utf8")) as {
  keys: Record<string, unknown>[];
};

async function open(issuer = "https://issuer.example.com"): Promise<KeyRotation> {
  const rotation = await openRotation("http://127.0.0.1:0", issuer, keys);
  onTestFinished(rotation.close);
  return rotation;
}

async function published({ url }: KeyRotation): Promise<Record<string, unknown>[]> {
  const answer = await fetch(`${url}/.well-known/jwks.json`);
  return ((await answer.json()) as { keys: Record<string, unknown>[] }).keys;
}

test("publishes the keys, then an additional key, then removes that key", async () => {
  const rotation = await open();
  expect(await published(rotation)).toEqual(keys);
  const { kid, alg, privateJwk, publicJwk } = await rotation.add("ES256");
  expect(alg).toBe("ES256");
  expect(await published(rotation)).toEqual([...keys, publicJwk]);
  expect(publicJwk).toMatchObject({ kid, kty: "EC" });
  expect(JSON.stringify(await published(rotation))).not.toContain(privateJwk["d"]);
  rotation.withdraw(kid);
  expect(await published(rotation)).toEqual(keys);
  expect(rotation.fetches).toBe(4);
});

test("publishes the issuer of the tokens in the metadata", async () => {
  const { url } = await open("https://issuer.example.com/tenant");
  const answer = await fetch(`${url}/.well-known/openid-configuration`);
  expect(await answer.json()).toMatchObject({
    issuer: "https://issuer.example.com/tenant",
    jwks_uri: `${url}/.well-known/jwks.json`,
  });
});

test("reports an address that is in use as a problem of the profile", async () => {
  const { url } = await open();
  await expect(openRotation(url, "https://issuer.example.com", keys)).rejects.toMatchObject({
    code: "ERR_LISTEN",
    hint: "`testIssuer.serve` in the profile names it.",
  });
});
