import type { IssuerKey, Target } from "../../profile/target.ts";
import { base64url, compact } from "../../tokens/compact.ts";
import { ORDERS } from "../../tokens/ecdsa.ts";
import { signRaw } from "../../tokens/sign.ts";
import type { InvalidMutation, UnspecifiedMutation } from "../mutation.ts";
import { onceKnown } from "./known-issuer.ts";

/** Good signatures in another base64url than the one that RFC 7515 §2 describes. */

/** Puts a character that is not of the alphabet into the middle. */
function withJunk(segment: string): string {
  const middle = segment.length >> 1;
  return `${segment.slice(0, middle)}!${segment.slice(middle)}`;
}

const junk = {
  check: "signature",
  level: "SHOULD",
  why: "no line break, blank or other character may stand in what is base64url",
  source: "RFC 7519 §7.2; RFC 7515 §5.2",
  requirement: "rfc7519.encoding",
} as const;

export const junkInEncoding: readonly InvalidMutation[] = [
  {
    ...junk,
    name: "signature-junk",
    what: "an exclamation mark stands in the signature",
    text: (segments) => compact({ ...segments, signature: withJunk(segments.signature) }),
  },
  {
    ...junk,
    name: "payload-junk",
    what: "an exclamation mark stands in the payload's base64url; it was signed like that",
    signsAsIssuer: true,
    text: ({ header, payload }, { key }) => {
      const input = `${header}.${withJunk(payload)}`;
      return `${input}.${base64url(signRaw(key.alg, key, input))}`;
    },
  },
];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The next character: the bits in which the two differ are the last ones. */
function neighbour(character: string): string {
  return ALPHABET[ALPHABET.indexOf(character) ^ 1] ?? character;
}

export const openEncodings: readonly UnspecifiedMutation[] = [
  {
    name: "signature-unused-bits",
    level: "OBSERVE",
    what: "bits of the signature's last character that encode nothing are set",
    inapplicable: onceKnown(usesEveryBit),
    text: ({ header, payload, signature }) =>
      compact({
        header,
        payload,
        signature: signature.slice(0, -1) + neighbour(signature.slice(-1)),
      }),
  },
  {
    name: "signature-padded",
    level: "OBSERVE",
    what: "the signature is padded with `=`",
    inapplicable: onceKnown(usesEveryBit),
    text: (segments) =>
      compact({
        ...segments,
        signature: segments.signature + "=".repeat(4 - (segments.signature.length % 4)),
      }),
  },
  {
    name: "signature-standard-alphabet",
    level: "OBSERVE",
    what: "the signature is in base64, with `+` and `/`",
    inapplicable: onceKnown(({ testIssuer }) =>
      testIssuer.key.publicJwk["kty"] === "RSA"
        ? undefined
        : "a short signature may have none of the characters that differ",
    ),
    text: (segments) =>
      compact({
        ...segments,
        signature: segments.signature.replaceAll("-", "+").replaceAll("_", "/"),
      }),
  },
];

/** Three bytes are four characters exactly. */
function usesEveryBit({ testIssuer: { key } }: Target): string | undefined {
  const bytes = signatureBytes(key);
  if (Number.isNaN(bytes)) return "how long its signatures are is not known";
  return bytes % 3 === 0 ? `signatures of ${bytes} bytes need every bit of base64url` : undefined;
}

/** How long the signatures of a key are, RFC 7518 sections 3.3 to 3.5, RFC 8037; NaN where that is not known. */
function signatureBytes({ alg, publicJwk }: IssuerKey): number {
  if (alg.startsWith("Ed")) return 64;
  const order = ORDERS[alg];
  if (order !== undefined) return order.length;
  const { n } = publicJwk;
  return typeof n === "string" ? Buffer.from(n, "base64url").length : NaN;
}
