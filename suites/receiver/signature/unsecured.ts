import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { algNone, unsigned, withMembers } from "../../../src/mutations/token/signature.ts";
import { compact } from "../../../src/tokens/compact.ts";

/** Tokens that say that they have no signature, or do not state its algorithm. */

function unsecured(name: string, what: string, alg: unknown): InvalidMutation {
  return {
    ...algNone,
    name,
    what: `${what}, and the signature is empty`,
    refused: {
      ...algNone.refused,
      source: "contract, Receiver checks 1; RFC 7518 §3.6; RFC 7515 §4.1.1",
    },
    token: { ...algNone.token, header: { alg } },
  };
}

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
    ...algNone,
    name: "alg-none-without-kid",
    what: "`alg` is none, the signature is empty, and there is no `kid`",
    token: { ...algNone.token, header: { alg: "none", kid: undefined } },
  },
  {
    ...algNone,
    name: "alg-none-two-segments",
    what: "`alg` is none, and the third segment is missing with its dot",
    token: { ...algNone.token, text: ({ header, payload }) => `${header}.${payload}` },
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
