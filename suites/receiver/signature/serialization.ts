import {
  because,
  type InvalidMutation,
  type Mutation,
  open,
} from "../../../src/mutations/mutation.ts";
import { base64url, compact, type Segments } from "../../../src/tokens/compact.ts";
import { signedText } from "../../../src/tokens/sign.ts";

/** Good signatures in a text that does not have the form of a JWT. */

function serialized(
  name: string,
  what: string,
  text: (segments: Segments) => string,
): InvalidMutation {
  return {
    name,
    what,
    refused: {
      check: "signature",
      why: "a signed JWT is exactly three segments, separated by dots",
      source: "contract, Model; RFC 7519 §1 and §7.2; RFC 7515 §7.1",
      requirement: "rfc7519.compact",
    },
    token: { text },
  };
}

export const otherSerializations: readonly InvalidMutation[] = [
  serialized(
    "json-flattened",
    "the token is in the flattened JSON serialization",
    ({ header, payload, signature }) => JSON.stringify({ payload, protected: header, signature }),
  ),
  serialized(
    "json-general",
    "the token is in the general JSON serialization",
    ({ header, payload, signature }) =>
      JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
  ),
  serialized("segments-four", "the payload is repeated as a fourth segment", (segments) =>
    [compact(segments), segments.payload].join("."),
  ),
  serialized("segments-five", "header and payload are repeated as further segments", (segments) =>
    [compact(segments), segments.header, segments.payload].join("."),
  ),
];

/** Tokens with an extra empty segment. Some gateways drop empty segments when they split a token. */
export const emptySegments: readonly InvalidMutation[] = [
  serialized("dot-leading", "a dot precedes the token", (segments) => `.${compact(segments)}`),
  serialized("dot-trailing", "a dot follows the token", (segments) => `${compact(segments)}.`),
  serialized(
    "dot-doubled",
    "two dots follow the header",
    ({ header, payload, signature }) => `${header}..${payload}.${signature}`,
  ),
].map((mutation) => ({ ...mutation, level: "SHOULD" }));

/** The most that fit into the headers that every server accepts. */
const DOTS = 6000;

/** It is expensive for a receiver that splits the token before it counts segments. */
export const dotFlood: InvalidMutation = because(
  serialized("dots-only", `the token is ${DOTS} dots`, () => ".".repeat(DOTS)),
  { source: "RFC 7519 §7.2; CVE-2025-30204" },
);

export const nestedToken: Mutation = open(
  "nested",
  "`cty` is JWT, and the payload is a good token; the issuer's key signed both",
  {
    token: {
      text: (segments, { key, header }) => {
        const outer = base64url(JSON.stringify({ ...header, cty: "JWT" }));
        return signedText(key, `${outer}.${base64url(compact(segments))}`);
      },
    },
    signsAsIssuer: true,
  },
);
