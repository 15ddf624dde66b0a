import { constants, createHash, privateEncrypt } from "node:crypto";

import { type InvalidMutation, withToken } from "../../../src/mutations/mutation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { privateKeyOf, signRaw } from "../../../src/tokens/sign.ts";
import { keyInUse, onceKnown, validSignature } from "./known-issuer.ts";

/**
 * RSA signatures that only a faulty verifier accepts. Those with a wrong encoding are made with the
 * issuer's own key, so that only the encoding is wrong. Attackers can make them without the key where
 * a verifier does not check every byte.
 */

/** DigestInfo up to the digest, RFC 8017 §9.2. */
const DIGEST_INFO: Readonly<Record<string, Buffer>> = {
  sha1: Buffer.from("3021300906052b0e03021a05000414", "hex"),
  sha256: Buffer.from("3031300d060960864801650304020105000420", "hex"),
  sha384: Buffer.from("3041300d060960864801650304020205000430", "hex"),
  sha512: Buffer.from("3051300d060960864801650304020305000440", "hex"),
};

function rsaKey(facts: Facts): IssuerKey | undefined {
  return keyInUse(facts, (alg) => alg.startsWith("RS"));
}

function rsa(
  name: string,
  what: string,
  sign: (input: string, key: IssuerKey) => Uint8Array,
): InvalidMutation {
  return {
    name: `rsa-${name}`,
    what: `in an RSA signature ${what}`,
    refused: {
      check: "signature",
      why: "an RSASSA-PKCS1-v1_5 signature is valid when its encoded message is the expected one, byte for byte",
      source: "contract, Receiver checks 1; RFC 7518 §3.3; RFC 8017 §8.2.2",
    },
    token: { key: rsaKey, sign: (input, { key }) => sign(input, key) },
    inapplicable: onceKnown((target) =>
      rsaKey(target) ? undefined : "the issuer has no key for RSASSA-PKCS1-v1_5",
    ),
  };
}

/** A signature over another encoded message of `length` bytes, made from digest info and digest. */
function encoded(
  name: string,
  what: string,
  encode: (info: Buffer, digest: Buffer, length: number) => Buffer,
  hashOf: (key: IssuerKey) => string = ({ alg }) => `sha${alg.slice(2)}`,
): InvalidMutation {
  return rsa(name, what, (input, key) => {
    const hash = hashOf(key);
    const digest = createHash(hash).update(input).digest();
    const block = encode(DIGEST_INFO[hash] ?? Buffer.alloc(0), digest, modulus(key).length);
    return privateEncrypt({ key: privateKeyOf(key), padding: constants.RSA_NO_PADDING }, block);
  });
}

/** Mutations that need only the public key. */
const keyless = { signsAsIssuer: false, usesPublicKey: true } as const;

function modulus({ publicJwk }: IssuerKey): Buffer {
  return Buffer.from(String(publicJwk["n"]), "base64url");
}

/** Pads a message to `length` bytes, as in RFC 8017 §9.2 where `type` is 1 and `fill` is 0xff. */
function padded(message: Buffer, length: number, type: number, fill: number): Buffer {
  const padding = Buffer.alloc(length - message.length - 3, fill);
  return Buffer.concat([Buffer.from([0, type]), padding, Buffer.alloc(1), message]);
}

const SHORT_PADDING = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(8, 0xff), Buffer.alloc(1)]);

export const rsaForgeries: readonly InvalidMutation[] = [
  encoded(
    "garbage-after",
    "bytes follow the digest, and the padding is short",
    (info, digest, length) => {
      const message = Buffer.concat([SHORT_PADDING, info, digest]);
      return Buffer.concat([message, Buffer.alloc(length - message.length, 0xaa)]);
    },
  ),
  encoded(
    "garbage-before",
    "bytes precede the digest, and the padding is short",
    (info, digest, length) => {
      const rest = Buffer.alloc(length - SHORT_PADDING.length - info.length - digest.length, 0xaa);
      return Buffer.concat([SHORT_PADDING, rest, info, digest]);
    },
  ),
  encoded(
    "no-digest-info",
    "the digest has no hash identifier before it",
    (_info, digest, length) => padded(digest, length, 1, 0xff),
  ),
  encoded("block-type", "the padding is that of encryption", (info, digest, length) =>
    padded(Buffer.concat([info, digest]), length, 2, 0xaa),
  ),
  encoded("no-padding", "zeros are in place of the padding", (info, digest, length) =>
    padded(Buffer.concat([info, digest]), length, 0, 0),
  ),
  encoded(
    "sha1",
    "the hash is SHA-1",
    (info, digest, length) => padded(Buffer.concat([info, digest]), length, 1, 0xff),
    () => "sha1",
  ),
  rsa("pss", "the padding is that of PSS", (input, key) =>
    signRaw(`PS${key.alg.slice(2)}`, key, input),
  ),
  {
    ...rsa("one", "the number is 1", (_input, key) => {
      const bytes = Buffer.alloc(modulus(key).length);
      bytes.writeUInt8(1, bytes.length - 1);
      return bytes;
    }),
    ...keyless,
  },
  {
    ...rsa("minus-one", "the number is one less than the modulus", (_input, key) => {
      // A modulus is odd.
      const bytes = modulus(key);
      bytes.writeUInt8((bytes.at(-1) ?? 1) - 1, bytes.length - 1);
      return bytes;
    }),
    ...keyless,
  },
  {
    ...withToken(
      rsa("leading-zero", "one more zero byte is in front", () => Buffer.alloc(0)),
      { sign: (input, draft) => Buffer.concat([Buffer.alloc(1), validSignature(input, draft)]) },
    ),
    ...keyless,
    level: "SHOULD",
  },
];
