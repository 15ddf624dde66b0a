import type { Mutation, UnspecifiedMutation, Patch } from "../mutation.ts";

/** Tokens without claims that every token must have, though no receiver check names them. */

function lack(name: string, what: string, claims: Patch): Mutation {
  return { name, what, claims };
}

function open(name: string, what: string, claims: Patch): UnspecifiedMutation {
  return { name, what, claims, level: "OBSERVE" };
}

/** The plainest: the claim is not there. */
export const missingClaims: readonly Mutation[] = [
  lack("sub-missing", "`sub` is not there", { sub: undefined }),
  lack("iat-missing", "`iat` is not there", { iat: undefined }),
];

/** Claims that are there, but say nothing. */
export const voidClaims: readonly Mutation[] = [
  lack("sub-null", "`sub` is null", { sub: null }),
  lack("sub-empty", "`sub` is an empty string", { sub: "" }),
  lack("iat-null", "`iat` is null", { iat: null }),
  lack("iat-text", "`iat` is the word `never`", { iat: "never" }),
];

/** Claims of a type that RFC 7519 does not give them, which may still say something. */
export const mistypedClaims: readonly UnspecifiedMutation[] = [
  open("sub-number", "`sub` is a number", { sub: 7 }),
  open("sub-object", "`sub` is an object", { sub: {} }),
  {
    name: "sub-array",
    what: "`sub` is an array of the right value",
    level: "OBSERVE",
    claims: ({ claims }) => ({ sub: [claims["sub"]] }),
  },
  {
    name: "iat-string",
    what: "`iat` is a string of digits",
    level: "OBSERVE",
    claims: ({ claims }) => ({ iat: String(claims["iat"]) }),
  },
];
