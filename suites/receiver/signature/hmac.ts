import { createHmac, createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";

import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { onceKnown } from "./known-issuer.ts";

/** Tokens with an HMAC whose secret is public or can be guessed. */

type Secret = (key: IssuerKey, facts: Facts) => string | Uint8Array;

interface Hmac {
  readonly bits?: 256 | 384 | 512;
  readonly kid?: string;
  readonly inapplicable?: (facts: Facts) => string | undefined;
}

/** The HMAC of RFC 7518 §3.2, with a secret of any length; zero bytes at its end count nothing. */
export function hmacOf(alg: string, secret: string | Uint8Array, input: string): Uint8Array {
  return createHmac(`sha${alg.slice(2)}`, secret)
    .update(input)
    .digest();
}

function hmac(
  name: string,
  secretIs: string,
  secret: Secret,
  { bits = 256, kid, inapplicable }: Hmac = {},
): InvalidMutation {
  return {
    name: `hs${bits}-${name}`,
    what: `\`alg\` is HS${bits}, and the secret is ${secretIs}`,
    refused: {
      check: "signature",
      why: "anybody who can verify such an HMAC can also make it, so it does not prove the issuer",
      source: "contract, Receiver checks 1; RFC 7518 §3.2; RFC 8725 §2.1",
    },
    token: {
      header: { alg: `HS${bits}`, ...(kid !== undefined && { kid }) },
      sign: (input, { key }, { target }) => hmacOf(`HS${bits}`, secret(key, target), input),
    },
    usesPublicKey: true,
    ...(inapplicable && { inapplicable }),
  };
}

/** An HMAC with a guessed secret, independent of the issuer's key. */
function guess(
  name: string,
  secretIs: string,
  secret: Secret,
  options: Hmac = {},
): InvalidMutation {
  return { ...hmac(name, secretIs, secret, options), usesPublicKey: false };
}

/** A key of the issuer as others have it. */
export function publicKey({ publicJwk }: IssuerKey): KeyObject {
  return createPublicKey({ key: publicJwk as JsonWebKey, format: "jwk" });
}

function pem(key: IssuerKey, type: "spki" | "pkcs1"): string {
  return publicKey(key).export({ type, format: "pem" }).toString();
}

function der(key: IssuerKey, type: "spki" | "pkcs1"): Buffer {
  return publicKey(key).export({ type, format: "der" });
}

/** The main number of a key: the modulus, or the first coordinate. */
function number({ publicJwk }: IssuerKey): string {
  return String(publicJwk["n"] ?? publicJwk["x"]);
}

function jwks({ testIssuer }: Facts): object {
  return { keys: testIssuer.keys.map(({ publicJwk }) => publicJwk) };
}

const rsaOnly = {
  inapplicable: onceKnown(({ testIssuer: { key } }) =>
    /^[RP]S/.test(key.alg) ? undefined : "PKCS #1 has a format for RSA keys only",
  ),
};

const spkiPem: Secret = (key) => pem(key, "spki");

/** The most likely secrets: the configured key of a library, and its result for an unknown `kid`. */
export const confusedKeys: readonly InvalidMutation[] = [
  hmac("spki-pem", "the issuer's public key in PEM", spkiPem),
  hmac("spki-pem-trimmed", "the issuer's public key in PEM, no newline at the end", (key) =>
    pem(key, "spki").trimEnd(),
  ),
  hmac("jwk", "the issuer's public key as JWK", (key) => JSON.stringify(key.publicJwk)),
  guess("empty", "empty", () => ""),
  guess("empty-unknown-kid", "empty; `kid` is unknown", () => "", { kid: "unknown" }),
];

/** The key in every other serialization, and secrets from word lists. */
export const confusedSerializations: readonly InvalidMutation[] = [
  hmac("spki-pem", "the issuer's public key in PEM", spkiPem, { bits: 384 }),
  hmac("spki-pem", "the issuer's public key in PEM", spkiPem, { bits: 512 }),
  hmac(
    "spki-pem-led",
    "the issuer's public key in PEM after a newline",
    (key) => `\n${pem(key, "spki")}`,
  ),
  hmac("spki-pem-crlf", "the issuer's public key in PEM with CRLF", (key) =>
    pem(key, "spki").replaceAll("\n", "\r\n"),
  ),
  hmac("spki-base64", "the base64 text in the PEM of the issuer's public key", (key) =>
    der(key, "spki").toString("base64"),
  ),
  hmac("spki-der", "the issuer's public key in DER", (key) => der(key, "spki")),
  hmac("pkcs1-pem", "the issuer's public key in PKCS #1 PEM", (key) => pem(key, "pkcs1"), rsaOnly),
  hmac(
    "pkcs1-pem-trimmed",
    "the issuer's public key in PKCS #1 PEM, no newline at the end",
    (key) => pem(key, "pkcs1").trimEnd(),
    rsaOnly,
  ),
  hmac("pkcs1-der", "the issuer's public key in PKCS #1 DER", (key) => der(key, "pkcs1"), rsaOnly),
  hmac("jwks", "the issuer's JWKS", (_key, target) => JSON.stringify(jwks(target))),
  hmac(
    "jwks-indented",
    "the issuer's JWKS as it is written to a file",
    (_key, target) => `${JSON.stringify(jwks(target), null, 2)}\n`,
  ),
  hmac("number", "the modulus, or first coordinate, of the issuer's public key", (key) =>
    Buffer.from(number(key), "base64url"),
  ),
  hmac("number-text", "the `n`, or `x`, of the issuer's JWK as text", number),
  guess("undefined-unknown-kid", "the word undefined; `kid` is unknown", () => "undefined", {
    kid: "unknown",
  }),
  guess("null-unknown-kid", "the word null; `kid` is unknown", () => "null", { kid: "unknown" }),
  guess("kid", "the `kid`", ({ kid }) => kid),
  guess("issuer", "the URL of the issuer", (_key, { testIssuer }) => testIssuer.url),
  ...["secret", "password", "changeme", "your-256-bit-secret"].map((word) =>
    guess(`word-${word}`, `the word ${word}`, () => word),
  ),
];
