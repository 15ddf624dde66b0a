import {
  constants,
  createPrivateKey,
  type JsonWebKey,
  type KeyObject,
  sign as cryptoSign,
} from "node:crypto";

import type { IssuerKey } from "../profile/target.ts";

const privateKeys = new WeakMap<object, KeyObject>();

/** The private half of a key as node:crypto takes it; imported once. */
export function privateKeyOf(key: IssuerKey): KeyObject {
  const known = privateKeys.get(key.privateJwk);
  if (known) return known;
  const imported = createPrivateKey({ key: key.privateJwk as JsonWebKey, format: "jwk" });
  privateKeys.set(key.privateJwk, imported);
  return imported;
}

/**
 * A JWS signature over `input` by any of the asymmetric algorithms of RFC 7518 §3.1 and RFC 8037 §3.1.
 * @param alg decides hash and padding; it may differ from the key's own `alg`
 * @throws when the algorithm is unknown or the key is of the wrong type for it
 */
export function signRaw(alg: string, key: IssuerKey, input: string | Uint8Array): Buffer {
  const data = typeof input === "string" ? Buffer.from(input) : input;
  const privateKey = privateKeyOf(key);
  const hash = `sha${alg.slice(2)}`;
  switch (alg.slice(0, 2)) {
    case "RS":
      return cryptoSign(hash, data, privateKey);
    case "PS":
      return cryptoSign(hash, data, {
        key: privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      });
    case "ES":
      return cryptoSign(hash, data, { key: privateKey, dsaEncoding: "ieee-p1363" });
    case "Ed":
      return cryptoSign(null, data, privateKey);
    default:
      throw new TypeError(`no signature algorithm ${alg}`);
  }
}
