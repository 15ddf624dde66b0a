import { createPublicKey, type JsonWebKey, verify } from "node:crypto";

import { compactVerify, importJWK, type JWK } from "jose";

import { isObject } from "../../lib/json.ts";
import { phrase } from "../../probe/phrase.ts";
import type { Connection } from "./connection.ts";
import type { Failed } from "./failed.ts";
import { getFollowing, inShort, whyUnknown } from "./metadata.ts";

/** A published JWKS, RFC 7517 section 5. */
export interface KeySet {
  readonly url: string;
  /** The members that are objects. They are not validated. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  readonly exchange: string;
}

/**
 * Reads a server's JWKS, RFC 7517 section 5, from the `jwks_uri` of the profile or the metadata. Follows redirects.
 * @param name the case or step that sends the request
 * @returns the members of `keys` that are objects, unchecked otherwise; or why there is no JWKS
 * @throws Interrupted
 */
export async function readKeySet(connection: Connection, name: string): Promise<KeySet | Failed> {
  const endpoints = await connection.endpoints();
  const { jwks: url, documents } = endpoints;
  if (url === undefined) return { failed: whyUnknown(endpoints, "jwks_uri") };
  const answer = await getFollowing(connection.origins, name, url);
  const keys = isObject(answer.json) ? answer.json["keys"] : undefined;
  if (answer.status !== 200 || !Array.isArray(keys)) {
    // A gateway may keep others away from the JWKS, and a profile may name another URL.
    const isDefinite = answer.status === 200 || answer.status === 404;
    const isPublished = documents.some(({ metadata }) => metadata["jwks_uri"] === url);
    return {
      failed: `there is no JWKS at its jwks_uri: ${inShort(answer)}${answer.status === 200 ? ", without an object that has keys" : ""}`,
      ...(isDefinite &&
        isPublished && {
          wrong: {
            expected: phrase`a JSON object with an array of keys`,
            exchange: answer.reply.exchange.id,
          },
        }),
    };
  }
  return { url, keys: keys.filter(isObject), exchange: answer.reply.exchange.id };
}

/** The allowed values of a token's `alg`: asymmetric algorithms of RFC 7518, 8037 and 9864. */
export const ASYMMETRIC: RegExp = /^(?:[RP]S(?:256|384|512)|ES(?:256|384|512)|EdDSA|Ed25519)$/;

/** The key that verifies a token's signature; those with its `kid` are tried first. */
export async function verifyingKey(
  token: string,
  header: Readonly<Record<string, unknown>>,
  keys: KeySet["keys"],
): Promise<KeySet["keys"][number] | undefined> {
  const { alg, kid } = header;
  if (typeof alg !== "string" || !ASYMMETRIC.test(alg)) return undefined;
  const named = keys.filter((key) => key["kid"] === kid);
  for (const key of [...named, ...keys.filter((one) => !named.includes(one))]) {
    if (key["kty"] !== "oct" && (await verifies(token, key, alg))) return key;
  }
  return undefined;
}

async function verifies(token: string, key: KeySet["keys"][number], alg: string): Promise<boolean> {
  try {
    // Uses only the public members, whatever else the key holds and says about its use.
    const { kty, crv, x, y, n, e } = key as JWK;
    const jwk = Object.fromEntries(
      Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined),
    ) as JWK;
    if (isShort(jwk)) return verifiesShort(token, jwk, alg);
    await compactVerify(token, await importJWK(jwk, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}

/** An RSA key that the library refuses. That it is short is another fault than that it is absent. */
function isShort({ kty, n }: JWK): boolean {
  return kty === "RSA" && Buffer.from(n ?? "", "base64url").length < 256;
}

function verifiesShort(token: string, jwk: JWK, alg: string): boolean {
  const at = token.lastIndexOf(".");
  const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
  const signature = Buffer.from(token.slice(at + 1), "base64url");
  return (
    alg.startsWith("RS") &&
    verify(`sha${alg.slice(2)}`, Buffer.from(token.slice(0, at)), key, signature)
  );
}
