import type { IssuerKey, Target } from "../../profile/target.ts";
import { foreignKey } from "../../tokens/foreign-keys.ts";
import { signAside } from "../../tokens/sign.ts";
import type { InvalidMutation, Mutation } from "../mutation.ts";
import { onceKnown } from "./known-issuer.ts";
import { forgedSignature } from "./signature.ts";

/** Tokens that a key signed which is not the issuer's. */

function forged(name: string, what: string, mutation: Partial<Mutation>): InvalidMutation {
  return {
    ...forgedSignature,
    name: `forged-${name}`,
    what: `signed with a key that is not the issuer's, ${what}`,
    ...mutation,
  };
}

/** A key of the issuer's besides the one that signs controls. */
export function anotherKey({ testIssuer }: Target): IssuerKey | undefined {
  return testIssuer.keys.find(({ kid }) => kid !== testIssuer.key.kid);
}

/** Why nothing can be made with `anotherKey`. */
export const hasOneKey: (target: Target) => string | undefined = onceKnown((target) =>
  anotherKey(target) ? undefined : "the issuer has one key alone",
);

/** An algorithm for which a key is of the wrong kind. */
export function otherKind({ alg }: IssuerKey): "ES256" | "RS256" {
  return /^[RP]S/.test(alg) ? "ES256" : "RS256";
}

export const forgedTokens: readonly InvalidMutation[] = [
  forged("unknown-kid", "under its own `kid`", { header: { kid: "foreign" } }),
  forged("without-kid", "under no `kid`", { header: { kid: undefined } }),
  forged("borrowed-kid", "under the `kid` of another one of the issuer's", {
    inapplicable: hasOneKey,
    header: (_draft, { target }) => ({ kid: anotherKey(target)?.kid }),
  }),
  forged("other-kind", "and is of another kind", {
    header: ({ key }) => ({ alg: otherKind(key) }),
    sign: (input, { key }) => signAside(otherKind(key), foreignKey(otherKind(key)), input),
  }),
  forged("unknown-alg", "under an `alg` that nobody knows", { header: { alg: "XS256" } }),
];
