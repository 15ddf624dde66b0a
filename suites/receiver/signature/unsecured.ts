import { because, type InvalidMutation, withToken } from "../../../src/mutations/mutation.ts";
import { algNone, unsigned, withMembers } from "../../../src/mutations/token/signature.ts";
import { compact } from "../../../src/tokens/compact.ts";

/** Tokens that say that they have no signature, or do not state its algorithm. */

function unsecured(name: string, what: string, alg: unknown): InvalidMutation {
  return {
    ...because(withToken(algNone, { header: { alg } }), {
      source: "contract, Receiver checks 1; RFC 7518 §3.6; RFC 7515 §4.1.1",
    }),
    name,
    what: `${what}, and the signature is empty`,
  };
}

/** `alg` is of another type than text. A loose comparison takes some of them for none, and a lookup may find nothing to verify. */
export const untypedUnsecured: readonly InvalidMutation[] = [
  unsecured("alg-true-unsigned", "`alg` is true", true),
  unsecured("alg-zero-unsigned", "`alg` is 0", 0),
  unsecured("alg-array-empty-unsigned", "`alg` is an empty array", []),
];

export const unsecuredTokens: readonly InvalidMutation[] = [
  unsecured("alg-none-capitalized", "`alg` is None", "None"),
  unsecured("alg-none-upper-case", "`alg` is NONE", "NONE"),
  unsecured("alg-none-mixed-case", "`alg` is nOnE", "nOnE"),
  unsecured("alg-none-trailing-space", "`alg` is none and a space", "none "),
  unsecured("alg-none-array", "`alg` is an array with none", ["none"]),
  unsecured("alg-missing-unsigned", "`alg` is missing", undefined),
  unsecured("alg-empty-unsigned", "`alg` is the empty string", ""),
  unsecured("alg-null-unsigned", "`alg` is null", null),
  {
    ...withToken(algNone, { header: { alg: "none", kid: undefined } }),
    name: "alg-none-without-kid",
    what: "`alg` is none, the signature is empty, and there is no `kid`",
  },
  {
    ...withToken(algNone, { text: ({ header, payload }) => `${header}.${payload}` }),
    name: "alg-none-two-segments",
    what: "`alg` is none, and the third segment is missing with its dot",
  },
  unsigned(
    "alg-none-kept-signature",
    "`alg` was changed to none after signing, and the signature was kept",
    {
      token: {
        text: (segments) =>
          compact({ ...segments, header: withMembers(segments.header, { alg: "none" }) }),
      },
    },
  ),
];
