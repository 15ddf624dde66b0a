/** A parsed JWK, RFC 7517. */
export interface Jwk {
  readonly kty: string;
  readonly [member: string]: unknown;
}

interface KeyType {
  readonly kty: string;
  readonly crv?: string;
}

/** Every algorithm that a test issuer can sign with: RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864. */
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

const RSA: KeyType = { kty: "RSA" };
const ED25519: KeyType = { kty: "OKP", crv: "Ed25519" };
const KEY_TYPES: Readonly<Record<Algorithm, KeyType>> = {
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  PS256: RSA,
  PS384: RSA,
  PS512: RSA,
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
  EdDSA: ED25519,
  Ed25519: ED25519,
};

/** The algorithms of a new test issuer, most widely supported first. */
export const USUAL_ALGORITHMS: readonly Algorithm[] = ["RS256", "PS256", "ES256", "EdDSA"];

/** The algorithms that a key can sign with, the usual one for its type first; or none. */
export function algorithmsFor(jwk: Jwk): readonly Algorithm[] {
  return ALGORITHMS.filter((alg) => {
    const { kty, crv } = KEY_TYPES[alg];
    return kty === jwk.kty && (crv === undefined || crv === jwk["crv"]);
  });
}
