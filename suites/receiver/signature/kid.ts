import {
  type InvalidMutation,
  type UnspecifiedMutation,
  withToken,
} from "../../../src/mutations/mutation.ts";
import { signForeign, unsigned } from "../../../src/mutations/token/signature.ts";
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

function open(name: string, what: string, kid: (own: string) => unknown): UnspecifiedMutation {
  return {
    name,
    level: "OBSERVE",
    what: `signed with the issuer's key, ${what}`,
    token: { header: ({ key }) => ({ kid: kid(key.kid) }) },
  };
}

/** Tokens signed with the issuer's key. A receiver may select by `kid`, or try all keys. */
export const openKids: readonly UnspecifiedMutation[] = [
  open("kid-unknown", "under an unknown `kid`", () => "unknown"),
  open("kid-absent", "under no `kid`", () => undefined),
  {
    ...withToken(
      open("kid-borrowed", "under the `kid` of another of its keys", () => undefined),
      { header: (_draft, { target }) => ({ kid: anotherKey(target)?.kid }) },
    ),
    inapplicable: hasOneKey,
  },
  open("kid-other-case", "under its `kid` in another case", (own) =>
    own === own.toUpperCase() ? own.toLowerCase() : own.toUpperCase(),
  ),
  open("kid-number", "under a `kid` that is a number", () => 1),
  open("kid-null", "under a `kid` that is null", () => null),
  open("kid-object", "under a `kid` that is an object", () => ({})),
  open("kid-long", "under a `kid` of 4000 characters", () => "k".repeat(4000)),
];
