import type { Mutation } from "./mutation.ts";

/**
 * Whether a mutation can only be made with the issuer's private key: it changes what is signed, and the
 * result has to be signed well. What changes the token's text alone, replaces the signature, or can be
 * asked for where tokens are issued, needs none.
 */
export function needsPrivateKey(mutation: Mutation): boolean {
  const { key, claims, header, payload, headerText, sign, asks, signsAsIssuer } = mutation;
  if (signsAsIssuer !== undefined) return signsAsIssuer;
  if (key) return true;
  const changesSigned = [claims, header, payload, headerText].some((part) => part !== undefined);
  return changesSigned && !sign && !asks;
}

/**
 * The mutation as it is made to an issued token: it is of the key that signed it, and one that was asked
 * for has its claims as they are to be.
 */
export function toIssued(mutation: Mutation): Mutation {
  const { key: _key, claims, ...rest } = mutation;
  return mutation.asks || claims === undefined ? rest : { ...rest, claims };
}
