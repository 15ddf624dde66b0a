import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { BUNDLED_KEYS, loadIssuerKeys } from "../../src/profile/issuer-keys.ts";
import { folderWith } from "../support/folder.ts";
import { complaintOf } from "./support.ts";

type Jwk = Record<string, unknown>;

function bundled(name: string): { comment?: string; keys: Jwk[] } {
  return JSON.parse(readFileSync(join(BUNDLED_KEYS, name), "utf8")) as { keys: Jwk[] };
}

/** A copy of the bundled keys, altered. */
function alteredKeys(alter: (publicKeys: Jwk[], privateKeys: Jwk[]) => void): string {
  const [published, secret] = [bundled("jwks.json"), bundled("private.jwks.json")];
  alter(published.keys, secret.keys);
  return folderWith({
    "jwks.json": JSON.stringify(published),
    "private.jwks.json": JSON.stringify(secret),
  });
}

function pairOf(
  type: "rsa" | "ec" | "ed448",
  options: object,
): { publicJwk: Jwk; privateJwk: Jwk } {
  const { publicKey, privateKey } = generateKeyPairSync(
    type as "rsa",
    options as { modulusLength: number },
  );
  return {
    publicJwk: { ...publicKey.export({ format: "jwk" }), kid: "new" },
    privateJwk: { ...privateKey.export({ format: "jwk" }), kid: "new" },
  };
}

test("the bundled keys have a fixed order", () => {
  expect(loadIssuerKeys(BUNDLED_KEYS).map(({ kid, alg }) => [kid, alg])).toEqual([
    ["conformance-rs256", "RS256"],
    ["conformance-ps256", "PS256"],
    ["conformance-es256", "ES256"],
    ["conformance-eddsa", "EdDSA"],
    ["conformance-rs256-2", "RS256"],
  ]);
});

test("the bundled private keys say that they are for tests only", () => {
  expect(bundled("private.jwks.json").comment).toMatch(/^TEST ONLY/);
});

test("the keys have the order of the private keys", () => {
  const folder = alteredKeys((_, privateKeys) => privateKeys.unshift(...privateKeys.splice(3, 1)));
  expect(loadIssuerKeys(folder)[0]?.alg).toBe("EdDSA");
});

test("the algorithm follows from the type of the key if neither file states it", () => {
  const folder = alteredKeys((publicKeys, privateKeys) => {
    for (const curve of ["P-384", "P-521"]) {
      const { publicJwk, privateJwk } = pairOf("ec", { namedCurve: curve });
      publicKeys.push({ ...publicJwk, kid: curve });
      privateKeys.push({ ...privateJwk, kid: curve });
    }
    for (const key of [...publicKeys, ...privateKeys]) delete key["alg"];
  });
  const algorithms = loadIssuerKeys(folder).map(({ alg }) => alg);
  expect(algorithms).toEqual(["RS256", "RS256", "ES256", "EdDSA", "RS256", "ES384", "ES512"]);
});

test("it is enough if one file states the algorithm", () => {
  const folder = alteredKeys((publicKeys, privateKeys) => {
    delete publicKeys[1]?.["alg"];
    delete privateKeys[2]?.["alg"];
  });
  expect(loadIssuerKeys(folder).map(({ alg }) => alg)).toEqual([
    "RS256",
    "PS256",
    "ES256",
    "EdDSA",
    "RS256",
  ]);
});

test("the public key is used as published, without private members", () => {
  const folder = alteredKeys((publicKeys, privateKeys) => {
    Object.assign(publicKeys[2] ?? {}, { d: privateKeys[2]?.["d"], key_ops: ["verify"] });
  });
  const [, , key] = loadIssuerKeys(folder);
  expect(key?.publicJwk).toMatchObject({ kid: "conformance-es256", key_ops: ["verify"] });
  expect(key?.publicJwk).not.toHaveProperty("d");
});

test("keys for encryption are ignored", () => {
  const folder = alteredKeys((publicKeys) => {
    publicKeys.push({ kty: "RSA", kid: "e", use: "enc", n: "x", e: "AQAB" });
  });
  expect(loadIssuerKeys(folder)).toHaveLength(5);
});

describe("unusable keys are named", () => {
  test.each(
    Object.entries<[alter: (publicKeys: Jwk[], privateKeys: Jwk[]) => void, complaint: string]>({
      "missing private half": [
        (_, privateKeys) => privateKeys.pop(),
        "private.jwks.json: no private key has the `kid` conformance-rs256-2, which jwks.json lists",
      ],
      "missing public half": [
        (publicKeys) => publicKeys.shift(),
        "jwks.json: no key has the `kid` conformance-rs256, which private.jwks.json lists",
      ],
      "no kid": [(publicKeys) => delete publicKeys[1]?.["kid"], "jwks.json: keys[1] has no `kid`"],
      "the same kid twice": [
        (_, privateKeys) => privateKeys.push({ ...privateKeys[0], kty: "RSA" }),
        "private.jwks.json: two keys have the `kid` conformance-rs256",
      ],
      "another public key under the same kid": [
        (publicKeys) => Object.assign(publicKeys[0] ?? {}, { n: publicKeys[1]?.["n"] }),
        "jwks.json: the key conformance-rs256 is not the public half of the one in private.jwks.json",
      ],
      "a public key of another type": [
        (publicKeys) =>
          Object.assign(publicKeys[3] ?? {}, {
            ...publicKeys[2],
            kid: "conformance-eddsa",
            alg: "EdDSA",
          }),
        "jwks.json: the key conformance-eddsa is not the public half of the one in private.jwks.json",
      ],
      "an algorithm that does not fit the key": [
        (_, privateKeys) => Object.assign(privateKeys[2] ?? {}, { alg: "RS256" }),
        "private.jwks.json: the key conformance-es256 cannot sign with its `alg`",
      ],
      "an algorithm that is not text": [
        (publicKeys) => Object.assign(publicKeys[2] ?? {}, { alg: ["ES256"] }),
        "jwks.json: the key conformance-es256 cannot sign with its `alg`",
      ],
      "two algorithms for one key": [
        (publicKeys) => Object.assign(publicKeys[0] ?? {}, { alg: "PS256" }),
        "jwks.json: the `alg` of conformance-rs256 is PS256, but RS256 in private.jwks.json",
      ],
      "a symmetric key": [
        (publicKeys, privateKeys) => {
          publicKeys.push({ kty: "oct", kid: "s", k: "c2VjcmV0" });
          privateKeys.push({ kty: "oct", kid: "s", k: "c2VjcmV0" });
        },
        "private.jwks.json: the key s cannot sign tokens",
      ],
      "no private member": [
        (_, privateKeys) => delete privateKeys[3]?.["d"],
        "private.jwks.json: the key conformance-eddsa is not a complete private key",
      ],
      "an incomplete RSA key": [
        (_, privateKeys) => delete privateKeys[0]?.["qi"],
        "private.jwks.json: the key conformance-rs256 is not a complete private key",
      ],
      "an incomplete public key": [
        (publicKeys) => delete publicKeys[2]?.["y"],
        "jwks.json: the key conformance-es256 is not a complete public key",
      ],
      "a short RSA key": [
        (publicKeys, privateKeys) => {
          const { publicJwk, privateJwk } = pairOf("rsa", { modulusLength: 1024 });
          publicKeys.push(publicJwk);
          privateKeys.push(privateJwk);
        },
        "private.jwks.json: the RSA key new has 1024 bits; RFC 7518 §3.3 requires 2048 or more",
      ],
      "a curve without an algorithm": [
        (publicKeys, privateKeys) => {
          const { publicJwk, privateJwk } = pairOf("ed448", {});
          publicKeys.push(publicJwk);
          privateKeys.push(privateJwk);
        },
        "private.jwks.json: the key new cannot sign tokens",
      ],
      "no keys": [(publicKeys) => publicKeys.splice(0), "jwks.json holds no signing key"],
      "no type": [
        (publicKeys) => delete publicKeys[0]?.["kty"],
        'jwks.json: keys[0] is not a JWK: it must be an object with "kty"',
      ],
    }),
  )("%s", async (_, [alter, complaint]) => {
    const folder = alteredKeys(alter);
    expect(await complaintOf(() => loadIssuerKeys(folder), folder)).toBe(complaint);
  });

  test.each(
    Object.entries<[files: Record<string, string>, complaint: string]>({
      "no files": [{}, "jwks.json does not exist"],
      "a file that is not JSON": [
        { "jwks.json": '{"keys": [hunter2]}' },
        "jwks.json is not JSON, or is nested too deeply",
      ],
      "a file in another encoding": [
        { "jwks.json": "\uFFFD\uFFFD{\0" },
        "jwks.json is not encoded in UTF-8; save it as UTF-8",
      ],
      "a file that is not a key set": [
        { "jwks.json": "[]" },
        'jwks.json is not a JWK Set: it must be an object with a list "keys"',
      ],
      "no list": [
        { "jwks.json": '{"keys":{}}' },
        'jwks.json is not a JWK Set: it must be an object with a list "keys"',
      ],
    }),
  )("%s", async (_, [files, complaint]) => {
    const folder = folderWith(files);
    expect(await complaintOf(() => loadIssuerKeys(folder), folder)).toBe(complaint);
  });
});
