import {
  constants,
  createHmac,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  verify,
  type VerifyKeyObjectInput,
} from "node:crypto";

import type { JsonObject } from "../lib/json.ts";
import type { KeyForm } from "./token.ts";

const imported = new WeakMap<JsonObject, KeyObject>();

/**
 * Whether a key verifies a JWS signature under an algorithm, RFC 7515 §5.2, RFC 7518 §3, RFC 8037 §3.1. A symmetric
 * algorithm verifies nothing, because an issuer's keys are public.
 * @param jwk a public key; its own `alg` is not looked at
 */
export function verifies(
  alg: string,
  jwk: JsonObject,
  input: string | Uint8Array,
  signature: Uint8Array,
): boolean {
  const how = methodOf(alg, jwk);
  if (!how) return false;
  try {
    const data = typeof input === "string" ? Buffer.from(input) : input;
    return verify(how.hash, data, { key: keyOf(jwk), ...how.options }, signature);
  } catch {
    return false;
  }
}

/** The form in which a public key, or nothing, is the secret of an HMAC; `undefined` where none is, or it is no HMAC. */
export function publicSecret(
  alg: unknown,
  jwks: readonly JsonObject[],
  input: string,
  signature: Uint8Array,
): KeyForm | undefined {
  const bits = typeof alg === "string" ? /^HS(256|384|512)$/.exec(alg)?.[1] : undefined;
  if (bits === undefined) return undefined;
  const isKeyedBy = (secret: string | Buffer): boolean =>
    createHmac(`sha${bits}`, secret).update(input).digest().equals(signature);
  if (isKeyedBy("")) return "empty";
  for (const jwk of jwks) {
    const found = formsOf(jwk).find(([, secret]) => isKeyedBy(secret));
    if (found) return found[0];
  }
  return undefined;
}

function formsOf(jwk: JsonObject): (readonly [KeyForm, string | Buffer])[] {
  const number = jwk["n"] ?? jwk["x"];
  const numbers = typeof number === "string" ? [number, Buffer.from(number, "base64url")] : [];
  return [
    ...spkiOf(jwk),
    ["JWK", JSON.stringify(jwk)],
    ...numbers.map((one) => ["number", one] as const),
  ];
}

function spkiOf(jwk: JsonObject): (readonly [KeyForm, string | Buffer])[] {
  try {
    const key = keyOf(jwk);
    const pem = key.export({ type: "spki", format: "pem" }).toString();
    const der = key.export({ type: "spki", format: "der" });
    return [
      ["PEM", pem],
      ["PEM", pem.trimEnd()],
      ["DER", der],
      ["DER", der.toString("base64")],
    ];
  } catch {
    return [];
  }
}

interface Method {
  readonly hash: string | null;
  readonly options: Omit<VerifyKeyObjectInput, "key">;
}

const CURVES: Readonly<Record<string, string>> = {
  ES256: "P-256",
  ES384: "P-384",
  ES512: "P-521",
  EdDSA: "Ed25519",
  Ed25519: "Ed25519",
};

/** `undefined` where the key is not of the type of the algorithm. */
function methodOf(alg: string, { kty, crv }: JsonObject): Method | undefined {
  const hash = `sha${alg.slice(2)}`;
  if (/^RS(?:256|384|512)$/.test(alg) && kty === "RSA") return { hash, options: {} };
  if (/^PS(?:256|384|512)$/.test(alg) && kty === "RSA") {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return { hash, options: { padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } };
  }
  if (!Object.hasOwn(CURVES, alg) || CURVES[alg] !== crv) return undefined;
  return alg.startsWith("Ed")
    ? { hash: null, options: {} }
    : { hash, options: { dsaEncoding: "ieee-p1363" } };
}

function keyOf(jwk: JsonObject): KeyObject {
  const known = imported.get(jwk);
  if (known) return known;
  const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
  imported.set(jwk, key);
  return key;
}
