import { type InvalidMutation, type Mutation, open } from "../../../src/mutations/mutation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { compact } from "../../../src/tokens/compact.ts";
import { ORDERS, signedText } from "../../../src/tokens/sign.ts";
import { onceKnown } from "./known-issuer.ts";

/** Good signatures in base64url that deviates from RFC 7515 §2. */

/** Inserts a character outside the alphabet in the middle. */
function withJunk(segment: string): string {
  const middle = segment.length >> 1;
  return `${segment.slice(0, middle)}!${segment.slice(middle)}`;
}

const junk = {
  refused: {
    check: "signature",
    why: "base64url must not contain line breaks, spaces or other characters",
    source: "RFC 7519 §7.2; RFC 7515 §5.2",
    requirement: "rfc7519.encoding",
  },
  level: "SHOULD",
} as const;

export const junkInEncoding: readonly InvalidMutation[] = [
  {
    ...junk,
    name: "signature-junk",
    what: "an exclamation mark is in the signature",
    token: {
      text: (segments) => compact({ ...segments, signature: withJunk(segments.signature) }),
    },
  },
  {
    ...junk,
    name: "payload-junk",
    what: "an exclamation mark is in the payload's base64url, and the signature covers it",
    signsAsIssuer: true,
    token: {
      text: ({ header, payload }, { key }) => signedText(key, `${header}.${withJunk(payload)}`),
    },
  },
];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function neighbour(character: string): string {
  return ALPHABET[ALPHABET.indexOf(character) ^ 1] ?? character;
}

export const openEncodings: readonly Mutation[] = [
  respelled(
    "unused-bits",
    "bits of the signature's last character that encode nothing are set",
    (signature) => signature.slice(0, -1) + neighbour(signature.slice(-1)),
    usesEveryBit,
  ),
  respelled(
    "padded",
    "the signature is padded with `=`",
    (signature) => signature + "=".repeat(4 - (signature.length % 4)),
    usesEveryBit,
  ),
  respelled(
    "standard-alphabet",
    "the signature is in base64, with `+` and `/`",
    (signature) => signature.replaceAll("-", "+").replaceAll("_", "/"),
    ({ testIssuer }) =>
      testIssuer.key.publicJwk["kty"] === "RSA"
        ? undefined
        : "a short signature may have none of the characters that differ",
  ),
];

function respelled(
  name: string,
  what: string,
  spell: (signature: string) => string,
  inapplicable: (facts: Facts) => string | undefined,
): Mutation {
  return open(`signature-${name}`, what, {
    token: {
      text: (segments) => compact({ ...segments, signature: spell(segments.signature) }),
    },
    inapplicable: onceKnown(inapplicable),
  });
}

/** Three bytes are exactly four characters, which leaves no unused bits. */
function usesEveryBit({ testIssuer: { key } }: Facts): string | undefined {
  const bytes = signatureBytes(key);
  if (Number.isNaN(bytes)) return "the length of its signatures is unknown";
  return bytes % 3 === 0 ? `signatures of ${bytes} bytes need every bit of base64url` : undefined;
}

/**
 * The length of a key's signatures in bytes, RFC 7518 sections 3.3 to 3.5, RFC 8037; NaN where
 * unknown.
 */
function signatureBytes({ alg, publicJwk }: IssuerKey): number {
  if (alg.startsWith("Ed")) return 64;
  const order = ORDERS[alg];
  if (order !== undefined) return order.length;
  const { n } = publicJwk;
  return typeof n === "string" ? Buffer.from(n, "base64url").length : NaN;
}
