import type { Segments } from "../../tokens/compact.ts";
import { base64url, compact } from "../../tokens/compact.ts";
import { signRaw } from "../../tokens/sign.ts";
import type { InvalidMutation, UnspecifiedMutation } from "../mutation.ts";

/** Good signatures in what is no JWT by its form. */

function serialized(
  name: string,
  what: string,
  text: (segments: Segments) => string,
): InvalidMutation {
  return {
    name,
    check: "signature",
    what,
    why: "a signed JWT is three segments with a dot between each two, and nothing else is one",
    source: "contract, Model; RFC 7519 §1 and §7.2; RFC 7515 §7.1",
    requirement: "rfc7519.compact",
    text,
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
  serialized("segments-four", "the payload follows once more as a fourth segment", (segments) =>
    [compact(segments), segments.payload].join("."),
  ),
  serialized("segments-five", "header and payload follow once more", (segments) =>
    [compact(segments), segments.header, segments.payload].join("."),
  ),
];

/** Nothing but empty segments is too much: some gateways leave them out when they split a token. */
export const emptySegments: readonly InvalidMutation[] = [
  serialized("dot-leading", "a dot precedes the token", (segments) => `.${compact(segments)}`),
  serialized("dot-trailing", "a dot follows the token", (segments) => `${compact(segments)}.`),
  serialized(
    "dot-doubled",
    "two dots stand after the header",
    ({ header, payload, signature }) => `${header}..${payload}.${signature}`,
  ),
].map((mutation) => ({ ...mutation, level: "SHOULD" }));

/** As many as fit into the headers that every server takes. */
const DOTS = 6000;

/** It costs a receiver that splits first and counts then more than others. */
export const dotFlood: InvalidMutation = {
  ...serialized("dots-only", `the token is ${DOTS} dots`, () => ".".repeat(DOTS)),
  source: "RFC 7519 §7.2; CVE-2025-30204",
};

export const nestedToken: UnspecifiedMutation = {
  name: "nested",
  level: "OBSERVE",
  what: "`cty` is JWT, and the payload is a good token; the issuer's key signed both",
  signsAsIssuer: true,
  text: (segments, { key, header }) => {
    const outer = base64url(JSON.stringify({ ...header, cty: "JWT" }));
    const input = `${outer}.${base64url(compact(segments))}`;
    return `${input}.${base64url(signRaw(key.alg, key, input))}`;
  },
};
