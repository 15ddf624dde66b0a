import { type InvalidMutation, type Mutation, open } from "../../../src/mutations/mutation.ts";
import { signForeign, unsigned } from "../../../src/mutations/token/signature.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { anotherKey, hasOneKey } from "./forged.ts";
import { hmacOf } from "./hmac.ts";

/** Attacks through `kid` on a receiver that uses it in a lookup. */

function injected(name: string, what: string, kid: string, secret: string): InvalidMutation {
  return {
    name,
    what: `\`alg\` is HS256, and \`kid\` ${what}`,
    refused: {
      check: "signature",
      why: "a secret that the token itself chooses proves nothing; only the issuer's JWKS counts",
      source: "contract, Receiver checks 1; RFC 8725 §3.10",
    },
    token: { header: { alg: "HS256", kid }, sign: (input) => hmacOf("HS256", secret, input) },
  };
}

const DEV_NULL = `${"../".repeat(12)}dev/null`;

export const injectedKids: readonly InvalidMutation[] = [
  injected("kid-empty-file", "leads to an empty file, which is the secret", DEV_NULL, ""),
  injected(
    "kid-sql",
    "breaks out of an SQL query to select the secret",
    "conformance' UNION SELECT 'conformance' -- ",
    "conformance",
  ),
  injected(
    "kid-inherited-text",
    "names an inherited member, whose text is the secret",
    "toString",
    "function toString() { [native code] }",
  ),
  ...["__proto__", "constructor"].map((kid) =>
    unsigned(
      `kid-${kid.replaceAll("_", "")}`,
      `signed with a key that is not the issuer's, under a \`kid\` that every object has: ${kid}`,
      { token: { header: { kid }, sign: signForeign } },
    ),
  ),
];

function under(
  name: string,
  what: string,
  kid: (own: string, facts: Facts) => unknown,
  more: Pick<Mutation, "inapplicable"> = {},
): Mutation {
  return open(`kid-${name}`, `signed with the issuer's key, under ${what}`, {
    ...more,
    token: { header: ({ key }, { target }) => ({ kid: kid(key.kid, target) }) },
  });
}

/** Tokens signed with the issuer's key. A receiver may select by `kid`, or try all keys. */
export const openKids: readonly Mutation[] = [
  under("unknown", "an unknown `kid`", () => "unknown"),
  under("absent", "no `kid`", () => undefined),
  under("borrowed", "the `kid` of another of its keys", (_own, facts) => anotherKey(facts)?.kid, {
    inapplicable: hasOneKey,
  }),
  under("other-case", "its `kid` in another case", (own) =>
    own === own.toUpperCase() ? own.toLowerCase() : own.toUpperCase(),
  ),
  under("number", "a `kid` that is a number", () => 1),
  under("null", "a `kid` that is null", () => null),
  under("object", "a `kid` that is an object", () => ({})),
  under("long", "a `kid` of 4000 characters", () => "k".repeat(4000)),
];
