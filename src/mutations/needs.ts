import type { Mutation } from "./mutation.ts";

/**
 * Whether a mutation needs the issuer's private key, because it changes signed data and needs a valid
 * signature. A mutation does not need it if it only changes the token's text, replaces the signature,
 * or can be requested from the issuer.
 */
export function needsPrivateKey(mutation: Mutation): boolean {
  const { key, claims, header, payload, headerText, sign, asks, signsAsIssuer } = mutation;
  if (signsAsIssuer !== undefined) return signsAsIssuer;
  if (key) return true;
  const changesSigned = [claims, header, payload, headerText].some((part) => part !== undefined);
  return changesSigned && !sign && !asks;
}

/**
 * The mutation as applied to an issued token: it keeps the key that signed the token, and a requested
 * token already has its claims.
 */
export function toIssued(mutation: Mutation): Mutation {
  const { key: _key, claims, ...rest } = mutation;
  return mutation.asks || claims === undefined ? rest : { ...rest, claims };
}
