import type { Mutation, TokenChange } from "./mutation.ts";

/**
 * Whether a mutation needs the issuer's private key, because it changes signed data and needs a valid
 * signature. A mutation does not need it if it only changes the token's text, replaces the signature,
 * or can be requested from the issuer.
 */
export function needsPrivateKey({ token = {}, asks, signsAsIssuer }: Mutation): boolean {
  if (signsAsIssuer !== undefined) return signsAsIssuer;
  if (token.key) return true;
  return changesSigned(token) && !token.sign && !asks;
}

function changesSigned({
  sign: _sign,
  text: _text,
  sentBefore: _sent,
  ...signed
}: TokenChange): boolean {
  return Object.keys(signed).length > 0;
}

/**
 * The mutation as applied to an issued token: it keeps the key that signed the token, and a requested
 * token already has its claims.
 */
export function toIssued({ token, ...mutation }: Mutation): Mutation {
  if (!token) return mutation;
  const { key: _key, claims, ...rest } = token;
  const kept = mutation.asks || claims === undefined ? rest : { ...rest, claims };
  return Object.keys(kept).length === 0 ? mutation : { ...mutation, token: kept };
}
