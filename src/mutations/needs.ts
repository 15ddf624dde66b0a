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

/** The mutation as it is made to a token that was asked for: its claims are as they are to be. */
export function toIssued(mutation: Mutation): Mutation {
  if (!mutation.asks) return mutation;
  const { claims: _claims, ...rest } = mutation;
  return rest;
}
