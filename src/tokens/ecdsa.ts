/** Order of each curve's base point, FIPS 186-4 §D.1.2, as hex of the length of R and of S. */
export const ORDERS: Readonly<Record<string, string>> = {
  ES256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
  ES384:
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
  ES512:
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
};

/**
 * Rewrites an ECDSA signature to use the smaller or the greater of the two values of S that verify.
 * Signers choose either. Any other signature is returned unchanged.
 * @param alg a JWA name, RFC 7518 §3.1
 * @param signature R and S concatenated, RFC 7518 §3.4
 */
export function withS(which: "smaller" | "greater", alg: string, signature: Buffer): Buffer {
  const hex = ORDERS[alg];
  if (hex === undefined) return signature;
  const order = BigInt(`0x${hex}`);
  const half = signature.length / 2;
  const s = BigInt(`0x${signature.toString("hex", half)}`);
  const wanted = s > order / 2n === (which === "greater") ? s : order - s;
  const digits = wanted.toString(16).padStart(half * 2, "0");
  return Buffer.concat([signature.subarray(0, half), Buffer.from(digits, "hex")]);
}
