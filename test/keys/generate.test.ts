import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  importJWK,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from "jose";
import { describe, expect, test } from "vitest";

import { generateKeys } from "../../src/keys/generate.ts";
import { loadIssuerKeys } from "../../src/profile/issuer-keys.ts";
import { complaintOf } from "../profile/support.ts";
import { folderWith } from "../support/folder.ts";

function readSet(file: string): JSONWebKeySet {
  return JSON.parse(readFileSync(file, "utf8")) as JSONWebKeySet;
}

describe("generateKeys", () => {
  test("makes the folder, with a key for each usual algorithm", async () => {
    const folder = join(folderWith(), "new", "keys");
    const { publicFile, privateFile, keys } = await generateKeys(folder);
    expect([publicFile, privateFile]).toEqual([
      join(folder, "jwks.json"),
      join(folder, "private.jwks.json"),
    ]);
    expect(keys.map(({ alg }) => alg)).toEqual(["RS256", "PS256", "ES256", "EdDSA", "RS256"]);
    expect(loadIssuerKeys(folder).map(({ kid, alg }) => ({ kid, alg }))).toEqual(keys);
  });

  test("publishes nothing private, and names each key by its thumbprint", async () => {
    const { publicFile } = await generateKeys(folderWith());
    for (const jwk of readSet(publicFile).keys) {
      expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
      for (const member of ["d", "p", "q", "dp", "dq", "qi", "k"])
        expect(jwk).not.toHaveProperty(member);
    }
  });

  test.each(["RS384", "PS512", "ES384", "ES512", "EdDSA", "Ed25519"])(
    "%s tokens that the key signs can be verified",
    async (alg) => {
      const { publicFile, privateFile } = await generateKeys(folderWith(), { algorithms: [alg] });
      const [privateJwk = {}] = readSet(privateFile).keys;
      const token = await new SignJWT()
        .setProtectedHeader({ alg, kid: privateJwk.kid ?? "" })
        .sign(await importJWK(privateJwk));
      const verified = await jwtVerify(token, createLocalJWKSet(readSet(publicFile)));
      expect(verified.protectedHeader.alg).toBe(alg);
    },
  );

  test("makes the private file readable only by its owner", async () => {
    const { privateFile } = await generateKeys(folderWith(), { algorithms: ["EdDSA"] });
    expect(statSync(privateFile).mode & 0o777).toBe(0o600);
  });

  test("makes new keys every time", async () => {
    const [first, second] = await Promise.all(
      [folderWith(), folderWith()].map((folder) => generateKeys(folder, { algorithms: ["EdDSA"] })),
    );
    expect(first?.keys[0]?.kid).not.toBe(second?.keys[0]?.kid);
  });

  test.each(["jwks.json", "private.jwks.json"])("never overwrites %s", async (name) => {
    const folder = folderWith({ [name]: "mine" });
    expect(await complaintOf(() => generateKeys(folder, { algorithms: ["EdDSA"] }), folder)).toBe(
      `${name} exists already; keys are never overwritten`,
    );
    expect(readFileSync(join(folder, name), "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("refuses an algorithm that it does not support", async () => {
    const folder = folderWith();
    expect(await complaintOf(() => generateKeys(folder, { algorithms: ["HS256"] }))).toBe(
      "HS256 is not an algorithm that keys can be made for",
    );
    expect(await complaintOf(() => generateKeys(folder, { algorithms: [] }))).toBe(
      "No algorithm is named for the new keys",
    );
    writeFileSync(join(folder, "file"), "");
    expect(
      await complaintOf(
        () => generateKeys(join(folder, "file"), { algorithms: ["EdDSA"] }),
        folder,
      ),
    ).toBe("file cannot be made a folder");
  });
});
