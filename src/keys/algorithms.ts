/** A parsed JWK, RFC 7517. */
export interface Jwk {
  readonly kty: string;
  readonly [member: string]: unknown;
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

const KEY_TYPES: readonly {
  readonly kty: string;
  readonly crv?: string;
  readonly signs: readonly Algorithm[];
}[] = [
  { kty: "RSA", signs: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] },
  { kty: "EC", crv: "P-256", signs: ["ES256"] },
  { kty: "EC", crv: "P-384", signs: ["ES384"] },
  { kty: "EC", crv: "P-521", signs: ["ES512"] },
  { kty: "OKP", crv: "Ed25519", signs: ["EdDSA", "Ed25519"] },
];

/** The algorithms of a new test issuer, most widely supported first. */
export const USUAL_ALGORITHMS: readonly Algorithm[] = ["RS256", "PS256", "ES256", "EdDSA"];

/** The algorithms that a key can sign with, the usual one for its type first; or none. */
export function algorithmsFor(jwk: Jwk): readonly Algorithm[] {
  const fits = KEY_TYPES.find(
    ({ kty, crv }) => kty === jwk.kty && (crv === undefined || crv === jwk["crv"]),
  );
  return fits?.signs ?? [];
}
