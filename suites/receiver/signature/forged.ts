import {
  type InvalidMutation,
  type Mutation,
  type TokenChange,
  withToken,
} from "../../../src/mutations/mutation.ts";
import { forgedSignature } from "../../../src/mutations/token/signature.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { foreignKey } from "../../../src/tokens/foreign-keys.ts";
import { signAside } from "../../../src/tokens/sign.ts";
import { namedKeys, onceKnown } from "./known-issuer.ts";

/** Tokens signed with a key that is not the issuer's. */

function forged(
  name: string,
  what: string,
  token: TokenChange,
  more: Partial<Mutation> = {},
): InvalidMutation {
  return {
    ...withToken(forgedSignature, token),
    name: `forged-${name}`,
    what: `signed with a key that is not the issuer's, ${what}`,
    ...more,
  };
}

/** One of the issuer's keys that does not sign controls. */
export function anotherKey({ testIssuer }: Facts): IssuerKey | undefined {
  return testIssuer.keys.find(({ kid }) => kid !== testIssuer.key.kid);
}

/** Why `anotherKey` finds none, as a phrase. */
export const hasOneKey: (facts: Facts) => string | undefined = onceKnown((target) =>
  anotherKey(target) ? undefined : "the issuer has only one key",
);

/** An algorithm for another type of key. */
export function otherKind({ alg }: IssuerKey): "ES256" | "RS256" {
  return /^[RP]S/.test(alg) ? "ES256" : "RS256";
}

export const forgedTokens: readonly InvalidMutation[] = [
  forged("unknown-kid", "under its own `kid`", { header: { kid: "foreign" } }),
  forged("without-kid", "under no `kid`", { header: { kid: undefined } }),
  forged(
    "borrowed-kid",
    "under the `kid` of another of the issuer's keys",
    { header: (_draft, { target }) => ({ kid: anotherKey(target)?.kid }) },
    { inapplicable: hasOneKey },
  ),
  forged("other-kind", "and of another type", {
    header: ({ key }) => ({ alg: otherKind(key) }),
    sign: (input, { key }) => signAside(otherKind(key), foreignKey(otherKind(key)), input),
  }),
  forged("unknown-alg", "under an `alg` that does not exist", { header: { alg: "XS256" } }),
];

/**
 * A forged token for each of the issuer's keys that does not sign controls, with its `kid` and its `alg`. A receiver may
 * verify each algorithm, or each key, in its own way. Where tokens are issued, the keys are not known before the run.
 */
export function forgedUnderEachKey({ issued, testIssuer }: Facts): readonly InvalidMutation[] {
  if (issued) return [];
  return namedKeys(testIssuer.keys)
    .filter(({ key }) => key.kid !== testIssuer.key.kid)
    .map(({ name, key }) =>
      forged(
        `under-${name}`,
        `under the \`kid\` and the \`alg\` of the issuer's key ${key.kid}`,
        { key: () => key },
        { signsAsIssuer: false },
      ),
    );
}
