import {
  constants,
  createHash,
  createPrivateKey,
  type JsonWebKey,
  type KeyObject,
  sign as cryptoSign,
  type SignKeyObjectInput,
} from "node:crypto";
import { promisify } from "node:util";

import type { IssuerKey } from "../profile/target.ts";
import { base64url } from "./compact.ts";

const privateKeys = new WeakMap<object, KeyObject>();

/**
 * The private key as node:crypto takes it. It is imported once.
 * @throws TypeError where the key has no private half
 */
export function privateKeyOf({ kid, privateJwk }: IssuerKey): KeyObject {
  if (!privateJwk) throw new TypeError(`there is no private half of the key ${kid}`);
  const known = privateKeys.get(privateJwk);
  if (known) return known;
  const imported = createPrivateKey({ key: privateJwk as JsonWebKey, format: "jwk" });
  privateKeys.set(privateJwk, imported);
  return imported;
}

/**
 * Makes a JWS signature over `input` with any asymmetric algorithm of RFC 7518 §3.1 and RFC 8037
 * §3.1. An ECDSA signature uses the smaller value of S, because some receivers insist on it.
 * @param alg decides hash and padding; it may differ from the key's own `alg`
 * @throws TypeError when the algorithm is unknown, or node:crypto's error when the key has the wrong
 * type
 */
export function signRaw(alg: string, key: IssuerKey, input: string | Uint8Array): Buffer {
  if (key.signsNothing) return standIn(alg, key, input);
  const { hash, how } = signing(alg, key);
  return withS("smaller", alg, cryptoSign(hash, bytesOf(input), how));
}

/** An input with its signature by a key, as the text of a token. */
export function signedText(key: IssuerKey, input: string): string {
  return `${input}.${base64url(signRaw(key.alg, key, input))}`;
}

/** Like `signRaw`, in another thread, because an RSA signature takes as long as a request. */
export async function signAside(alg: string, key: IssuerKey, input: string): Promise<Buffer> {
  if (key.signsNothing) return standIn(alg, key, input);
  const { hash, how } = signing(alg, key);
  return withS("smaller", alg, await signInBackground(hash, bytesOf(input), how));
}

/** The lengths of signatures in bytes, by key and algorithm. */
const lengths = new WeakMap<KeyObject, Map<string, number>>();

/** Bytes that follow from the input and are as many as a signature has. They are made in a hundredth of the time. */
function standIn(alg: string, key: IssuerKey, input: string | Uint8Array): Buffer {
  const privateKey = privateKeyOf(key);
  const known = lengths.get(privateKey) ?? new Map<string, number>();
  lengths.set(privateKey, known);
  const length = known.get(alg) ?? signRaw(alg, { ...key, signsNothing: false }, "").length;
  known.set(alg, length);
  return createHash("shake256", { outputLength: length }).update(input).digest();
}

const signInBackground = promisify(cryptoSign) as (
  hash: string | null,
  data: Uint8Array,
  how: SignKeyObjectInput,
) => Promise<Buffer>;

function bytesOf(input: string | Uint8Array): Uint8Array {
  return typeof input === "string" ? Buffer.from(input) : input;
}

function signing(
  alg: string,
  key: IssuerKey,
): { readonly hash: string | null; readonly how: SignKeyObjectInput } {
  const privateKey = privateKeyOf(key);
  const hash = `sha${alg.slice(2)}`;
  switch (alg.slice(0, 2)) {
    case "RS":
      return { hash, how: { key: privateKey } };
    case "PS": {
      const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
      return { hash, how: { key: privateKey, padding, saltLength } };
    }
    case "ES":
      return { hash, how: { key: privateKey, dsaEncoding: "ieee-p1363" } };
    case "Ed":
      return { hash: null, how: { key: privateKey } };
    default:
      throw new TypeError(`no signature algorithm ${alg}`);
  }
}

/** Order of each curve's base point, FIPS 186-4 §D.1.2, as hex of the length of R and of S. */
export const ORDERS: Readonly<Record<string, string>> = {
  ES256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
  ES384:
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
  ES512:
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
};

/**
 * Rewrites an ECDSA signature to use the smaller or the greater of the two values of S that verify.
 * Signers choose either. Any other signature is returned unchanged.
 * @param alg a JWA name, RFC 7518 §3.1
 * @param signature R and S concatenated, RFC 7518 §3.4
 */
export function withS(which: "smaller" | "greater", alg: string, signature: Buffer): Buffer {
  const hex = ORDERS[alg];
  if (hex === undefined) return signature;
  const order = BigInt(`0x${hex}`);
  const half = signature.length / 2;
  const s = BigInt(`0x${signature.toString("hex", half)}`);
  const wanted = s > order / 2n === (which === "greater") ? s : order - s;
  const digits = wanted.toString(16).padStart(half * 2, "0");
  return Buffer.concat([signature.subarray(0, half), Buffer.from(digits, "hex")]);
}
