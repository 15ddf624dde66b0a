import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { signRaw } from "../../../src/tokens/sign.ts";
import { otherKind } from "./forged.ts";
import { onceKnown } from "./known-issuer.ts";

/** Tokens with the issuer's signature and a wrong `alg`. */

function misstated(name: string, what: string, alg: (key: IssuerKey) => unknown): InvalidMutation {
  return {
    name,
    what: `${what}; the issuer's key signed the token`,
    refused: {
      check: "signature",
      why: "a signature is valid only under the algorithm that `alg` states, and `alg` is required",
      source: "contract, Receiver checks 1; RFC 7515 §4.1.1 and §5.2",
      requirement: "rfc7515.alg",
    },
    token: { header: ({ key }) => ({ alg: alg(key) }) },
  };
}

export const misstatedAlgorithms: readonly InvalidMutation[] = [
  misstated("alg-missing", "`alg` is missing", () => undefined),
  misstated("alg-empty", "`alg` is the empty string", () => ""),
  misstated("alg-lower-case", "`alg` is written in lower case", ({ alg }) => alg.toLowerCase()),
  misstated("alg-other-kind", "`alg` is for keys of another kind", otherKind),
];

/**
 * `alg` of other types. RFC 7515 §4.1.1 says that it is a string, but no MUST forbids to verify with the algorithm of the key
 * alone. The signature is the issuer's, so nobody is let in who should not be.
 */
export const untypedAlgorithms: readonly InvalidMutation[] = [
  misstated("alg-null", "`alg` is null", () => null),
  misstated("alg-number", "`alg` is a number", () => 1),
  misstated("alg-array", "`alg` is an array with the right value", ({ alg }) => [alg]),
  misstated("alg-true", "`alg` is true", () => true),
  misstated("alg-zero", "`alg` is 0", () => 0),
  misstated("alg-array-empty", "`alg` is an empty array", () => []),
].map((mutation) => ({ ...mutation, level: "SHOULD" }));

/** Another algorithm that the issuer's key could technically be used with. */
function otherAlgorithm(
  name: string,
  what: string,
  other: (alg: string) => string,
): InvalidMutation {
  return {
    name,
    refused: {
      check: "signature",
      why: "each key is for one algorithm, which its JWK names",
      source: "RFC 8725 §3.1; RFC 7517 §4.4",
      requirement: "rfc8725.algorithms",
    },
    level: "SHOULD",
    what,
    token: {
      header: ({ key }) => ({ alg: other(key.alg) }),
      sign: (input, { key }) => signRaw(other(key.alg), key, input),
    },
    signsAsIssuer: true,
    inapplicable: onceKnown(notTiedToRsa),
  };
}

function notTiedToRsa({ testIssuer: { key } }: Facts): string | undefined {
  if (!/^[RP]S/.test(key.alg)) return `a key for ${key.alg} has only one algorithm`;
  return key.publicJwk["alg"] === undefined ? "the key in jwks.json names no `alg`" : undefined;
}

export const otherAlgorithms: readonly InvalidMutation[] = [
  otherAlgorithm("alg-other-hash", "the issuer's key signed with another hash", (alg) =>
    alg.endsWith("384") ? `${alg.slice(0, 2)}256` : `${alg.slice(0, 2)}384`,
  ),
  otherAlgorithm("alg-other-padding", "the issuer's key signed with another padding", (alg) =>
    alg.startsWith("R") ? `PS${alg.slice(2)}` : `RS${alg.slice(2)}`,
  ),
];
