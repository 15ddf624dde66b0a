import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { join } from "node:path";

import { type Algorithm, algorithmsFor, type Jwk } from "../keys/algorithms.ts";
import { PRIVATE_FILE, PUBLIC_FILE, publicMembers, readJwks } from "../keys/jwks-file.ts";
import { SuiteError } from "../lib/errors.ts";
import { packageRoot } from "../lib/package-root.ts";
import { displayPath } from "../lib/paths.ts";
import { isLoopbackHost } from "../lib/uri.ts";
import type { IssuerKey, Target } from "./target.ts";

const SHORTEST_RSA_BITS = 2048;

/** Makes the error about a file of a keys folder. */
type Unusable = (name: string, what: string, hint?: string) => SuiteError;

/**
 * Loads the test issuer's keys: joins every private key of the folder by `kid` with the public key that the deployment
 * has. A key without `alg` gets the usual algorithm of its type (RS256, ES256, ES384, ES512, EdDSA).
 * @param path the folder that holds `jwks.json` and `private.jwks.json`
 * @param cwd messages name files relative to this folder; default: the process's working directory
 * @returns the keys in the order of `private.jwks.json`; `publicJwk` has public members only
 * @throws {SuiteError} when a file is missing or malformed, or a pair of keys cannot sign what the deployment accepts
 */
export function loadIssuerKeys(path: string, cwd?: string): IssuerKey[] {
  const unusable: Unusable = (name, what, hint) =>
    new SuiteError("ERR_KEYS", `${displayPath(join(path, name), cwd)}: ${what}`, { hint });
  const publicKeys = byKid(readJwks(path, PUBLIC_FILE, cwd), PUBLIC_FILE, unusable);
  const privateKeys = byKid(readJwks(path, PRIVATE_FILE, cwd), PRIVATE_FILE, unusable);
  for (const kid of publicKeys.keys()) {
    if (privateKeys.has(kid)) continue;
    throw unusable(
      PRIVATE_FILE,
      `no private key has the \`kid\` ${kid}, which ${PUBLIC_FILE} lists`,
      `Add it, or remove ${kid} from ${PUBLIC_FILE}: the suite tries every key in that file.`,
    );
  }
  return [...privateKeys].map(([kid, privateJwk]) => {
    const publicJwk = publicKeys.get(kid);
    if (!publicJwk) {
      throw unusable(
        PUBLIC_FILE,
        `no key has the \`kid\` ${kid}, which ${PRIVATE_FILE} lists`,
        `The deployment would refuse every token that ${kid} signs; add its public half to the file.`,
      );
    }
    return joinKey(kid, privateJwk, publicJwk, unusable);
  });
}

function byKid(keys: readonly Jwk[], name: string, unusable: Unusable): Map<string, Jwk> {
  const found = new Map<string, Jwk>();
  for (const [index, jwk] of keys.entries()) {
    const kid = jwk["kid"];
    if (typeof kid !== "string" || kid === "") {
      throw unusable(
        name,
        `keys[${index}] has no \`kid\``,
        `The \`kid\` joins the two files; give both halves of a key the same \`kid\`.`,
      );
    }
    if (found.has(kid)) throw unusable(name, `two keys have the \`kid\` ${kid}`);
    found.set(kid, jwk);
  }
  return found;
}

function joinKey(kid: string, privateJwk: Jwk, publicJwk: Jwk, unusable: Unusable): IssuerKey {
  const alg = algorithmOf(kid, privateJwk, publicJwk, unusable);
  const privateKey = importKey("private", kid, privateJwk, unusable);
  const publicKey = importKey("public", kid, publicJwk, unusable);
  const bits = privateKey.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < SHORTEST_RSA_BITS) {
    throw unusable(
      PRIVATE_FILE,
      `the RSA key ${kid} has ${bits} bits; RFC 7518 §3.3 requires ${SHORTEST_RSA_BITS} or more`,
    );
  }
  if (!belongTogether(privateKey, publicKey)) {
    throw unusable(
      PUBLIC_FILE,
      `the key ${kid} is not the public half of the one in ${PRIVATE_FILE}`,
      "One of the files comes from another set of keys; take both from the same one.",
    );
  }
  return { kid, alg, privateJwk, publicJwk: publicMembers(publicJwk) };
}

function algorithmOf(kid: string, privateJwk: Jwk, publicJwk: Jwk, unusable: Unusable): Algorithm {
  const possible = algorithmsFor(privateJwk);
  const [usual] = possible;
  if (usual === undefined) {
    throw unusable(
      PRIVATE_FILE,
      `the key ${kid} cannot sign tokens`,
      "Keys are RSA, EC on P-256, P-384 or P-521, or OKP on Ed25519.",
    );
  }
  const stated = (jwk: Jwk, name: string): Algorithm | undefined => {
    const alg = possible.find((algorithm) => algorithm === jwk["alg"]);
    if (alg !== undefined || jwk["alg"] === undefined) return alg;
    throw unusable(
      name,
      `the key ${kid} cannot sign with its \`alg\``,
      `A key of this kind signs with ${possible.join(", ")}.`,
    );
  };
  const ours = stated(privateJwk, PRIVATE_FILE);
  const theirs = stated(publicJwk, PUBLIC_FILE);
  if (ours !== undefined && theirs !== undefined && ours !== theirs) {
    throw unusable(
      PUBLIC_FILE,
      `the \`alg\` of ${kid} is ${theirs}, but ${ours} in ${PRIVATE_FILE}`,
    );
  }
  return ours ?? theirs ?? usual;
}

const HALVES = {
  private: {
    file: PRIVATE_FILE,
    read: (jwk: Jwk) => createPrivateKey({ key: jwk as JsonWebKey, format: "jwk" }),
    complete:
      "In addition to its public members, an RSA key has d, p, q, dp, dq and qi; an EC or OKP key has d.",
  },
  public: {
    file: PUBLIC_FILE,
    read: (jwk: Jwk) => publicKeyOf(publicMembers(jwk)),
    complete: "An RSA key has n and e; an EC key has crv, x and y; an OKP key has crv and x.",
  },
} as const;

function importKey(
  half: keyof typeof HALVES,
  kid: string,
  jwk: Jwk,
  unusable: Unusable,
): KeyObject {
  const { file, read, complete } = HALVES[half];
  try {
    return read(jwk);
  } catch {
    throw unusable(file, `the key ${kid} is not a complete ${half} key`, complete);
  }
}

/** Tests a signature, because an imported private key may carry public members of another key. */
function belongTogether(privateKey: KeyObject, publicKey: KeyObject): boolean {
  if (privateKey.asymmetricKeyType !== publicKey.asymmetricKeyType) return false;
  const hash = privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
  const message = Buffer.from("do these belong together?");
  return verify(hash, message, publicKey, sign(hash, message, privateKey));
}

/** The folder of the test issuer that ships with the package. */
export const BUNDLED_KEYS: string = join(packageRoot, "keys");

/**
 * Whether any of the keys ships with the package. Compares key material, because a copy under another
 * name is just as public.
 */
export function hasBundledKey(keys: readonly IssuerKey[]): boolean {
  const bundled = readJwks(BUNDLED_KEYS, PUBLIC_FILE).map(publicKeyOf);
  return keys.some((key) =>
    bundled.some((known) => known.equals(publicKeyOf(key.publicJwk as Jwk))),
  );
}

function publicKeyOf(jwk: Jwk): KeyObject {
  return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
}

/**
 * Refuses the bundled keys for every host that is not loopback, because anybody can read their private halves.
 * @param allowed the `--allow-bundled-keys` option
 * @throws {SuiteError} when the target is such a host, trusts bundled keys, and `allowed` is false
 */
export function refuseBundledKeys(target: Target, allowed: boolean): void {
  const { hostname } = new URL(target.baseUrl);
  if (allowed || !target.testIssuer.bundled || isLoopbackHost(hostname)) return;
  throw new SuiteError(
    "ERR_KEYS",
    `The bundled keys are public: anybody who has this package can sign tokens that ${hostname} would accept.`,
    {
      hint: "Make your own with `orgsync-conformance keys generate <folder>` and name the folder in `testIssuer.keys`, or pass --allow-bundled-keys.",
    },
  );
}
