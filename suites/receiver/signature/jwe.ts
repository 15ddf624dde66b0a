import { CompactEncrypt } from "jose";

import { because, type InvalidMutation } from "../../../src/mutations/mutation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { base64url } from "../../../src/tokens/compact.ts";
import type { TokenDraft } from "../../../src/tokens/draft.ts";
import { publicKey } from "./hmac.ts";
import { onceKnown } from "./known-issuer.ts";

/** Encrypted tokens. Anybody who has a public key can make one, so it does not prove the issuer. */

function encrypted(
  name: string,
  what: string,
  encrypt: (draft: TokenDraft) => Promise<string> | string,
): InvalidMutation {
  return {
    name: `jwe-${name}`,
    what,
    refused: {
      check: "signature",
      why: "encryption is not a signature of the issuer",
      source: "contract, Receiver checks 1; RFC 7519 §7.2; RFC 7516 §10",
    },
    token: { text: (_segments, draft) => encrypt(draft) },
    usesPublicKey: true,
  };
}

function forRsaKey(draft: TokenDraft, plaintext: string, header: object): Promise<string> {
  return new CompactEncrypt(Buffer.from(plaintext))
    .setProtectedHeader({ ...draft.header, alg: "RSA-OAEP-256", enc: "A128GCM", ...header })
    .encrypt(publicKey(draft.key));
}

function notRsa({ testIssuer }: Facts): string | undefined {
  return testIssuer.key.publicJwk["kty"] === "RSA"
    ? undefined
    : "the signing key is not an RSA key, so nothing can be encrypted for it";
}

/** The minimum that RFC 7518 §4.8.1.2 recommends, so that it is cheap here. */
const FEW_ROUNDS = 1000;
/** Takes one processor a few seconds: the work is noticeable, and a receiver recovers. */
const MANY_ROUNDS = 30_000_000;

export const encryptedTokens: readonly InvalidMutation[] = [
  {
    ...encrypted("claims", "the claims are encrypted for the issuer's key, not signed", (draft) =>
      forRsaKey(draft, JSON.stringify(draft.claims), {}),
    ),
    inapplicable: onceKnown(notRsa),
  },
  {
    ...because(
      encrypted(
        "unsecured",
        "a token with `alg` none is encrypted for the issuer's key",
        (draft) => {
          const header = base64url(JSON.stringify({ ...draft.header, alg: "none" }));
          const inner = `${header}.${base64url(JSON.stringify(draft.claims))}.`;
          return forRsaKey(draft, inner, { cty: "JWT" });
        },
      ),
      { source: "contract, Receiver checks 1; CVE-2026-29000" },
    ),
    inapplicable: onceKnown(notRsa),
  },
  encrypted(
    "public-key-as-password",
    "the claims are encrypted with the issuer's public key in PEM as password",
    (draft) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(draft.claims)))
        .setProtectedHeader({ ...draft.header, alg: "PBES2-HS256+A128KW", enc: "A128GCM" })
        .setKeyManagementParameters({ p2c: FEW_ROUNDS })
        .encrypt(Buffer.from(publicKey(draft.key).export({ type: "spki", format: "pem" }))),
  ),
];

/**
 * It cannot be decrypted. It is expensive for a receiver that derives the key before it checks `alg`.
 */
export const costlyEncryption: InvalidMutation = {
  ...because(
    encrypted(
      "costly",
      `the token is encrypted with a password whose key derivation takes ${MANY_ROUNDS} rounds`,
      (draft) => {
        const header = {
          ...draft.header,
          alg: "PBES2-HS256+A128KW",
          enc: "A128GCM",
          p2s: base64url(Buffer.alloc(16, 1)),
          p2c: MANY_ROUNDS,
        };
        const parts = [
          JSON.stringify(header),
          ...[24, 12, 16, 16].map((size) => Buffer.alloc(size, 1)),
        ];
        return parts.map(base64url).join(".");
      },
    ),
    { source: "RFC 7518 §8.1; CVE-2023-52428" },
  ),
  usesPublicKey: false,
};
