import { readFile } from "node:fs/promises";

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type CompactVerifyGetKey,
  type JSONWebKeySet,
  type JWK,
} from "jose";

import { SuiteError } from "../lib/errors.ts";
import { Refusal } from "./refusal.ts";

/** The issuer's public keys and the algorithms they are for. */
export interface Keys {
  readonly find: CompactVerifyGetKey;
  /** The keys as they were published at the start. */
  readonly published: readonly JWK[];
  /** What a token's `alg` may be. Never a symmetric algorithm, RFC 8725 section 3.1. */
  readonly algorithms: readonly string[];
}

/** Asymmetric signature algorithms of RFC 7518, RFC 8037 and RFC 9864. */
const ASYMMETRIC = /^(?:[RP]S(?:256|384|512)|ES(?:256|384|512)|EdDSA|Ed25519)$/;

/** The algorithm of a key without `alg`. */
const USUAL_ALGORITHM: Readonly<Record<string, string>> = {
  RSA: "RS256",
  EC: "ES256",
  OKP: "EdDSA",
};

/**
 * Reads a JWKS from an object, a file's path, or an http(s) URL. A URL is fetched again when a token names
 * an unknown key.
 * @throws SuiteError when it cannot be read, or contains no key for verifying signatures
 */
export async function readKeys(jwks: JSONWebKeySet | string): Promise<Keys> {
  const remote = typeof jwks === "string" && /^https?:/i.test(jwks);
  const document = typeof jwks === "string" ? await load(jwks, remote) : jwks;
  const keys = document.keys.filter((key) => ASYMMETRIC.test(algorithmOf(key)) && !("d" in key));
  if (keys.length === 0) {
    throw new SuiteError("ERR_KEYS", "The JWKS holds no public key that verifies signatures.", {
      hint: "The reference receiver needs public keys (no `d`) for RS256, PS256, ES256 or EdDSA.",
    });
  }
  return {
    find: remote ? findRemotely(jwks) : createLocalJWKSet({ keys }),
    published: keys,
    algorithms: [...new Set(keys.map(algorithmOf))],
  };
}

/** Looks keys up at `url`. It throws a Refusal that blames the key server, not the token. */
function findRemotely(url: string): CompactVerifyGetKey {
  const find = createRemoteJWKSet(new URL(url));
  return async (...token) => {
    try {
      return await find(...token);
    } catch (error) {
      const answered =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys;
      throw answered ? error : new Refusal(503, "The issuer's keys cannot be fetched.");
    }
  };
}

function algorithmOf(key: JWK): string {
  return key.alg ?? USUAL_ALGORITHM[key.kty ?? ""] ?? "";
}

async function load(location: string, remote: boolean): Promise<JSONWebKeySet> {
  try {
    const text = remote
      ? await (
          await fetch(location, { redirect: "error", signal: AbortSignal.timeout(5000) })
        ).text()
      : await readFile(location, "utf8");
    const document = JSON.parse(text) as JSONWebKeySet;
    if (!Array.isArray(document.keys)) throw new Error("it has no array `keys`");
    return document;
  } catch (cause) {
    throw new SuiteError(
      "ERR_KEYS",
      `Cannot read the JWKS ${location}: ${(cause as Error).message}`,
      {
        hint: "Give the path or URL of a JSON Web Key Set (RFC 7517) with the issuer's public keys.",
        cause,
      },
    );
  }
}
