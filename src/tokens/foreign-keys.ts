import { readFileSync } from "node:fs";

import { fixturePath } from "../lib/package-root.ts";
import type { IssuerKey } from "../profile/target.ts";

interface PrivateJwk extends Record<string, unknown> {
  kty: string;
  crv?: string;
}

const CURVES: Readonly<Record<string, string>> = {
  ES256: "P-256",
  ES384: "P-384",
  ES512: "P-521",
  EdDSA: "Ed25519",
  Ed25519: "Ed25519",
};

interface ForeignKeys {
  readonly keys: readonly PrivateJwk[];
  /** Self-signed certificates, base64 of DER, by curve or `RSA`. */
  readonly certificates: Readonly<Record<string, string>>;
}

let read: ForeignKeys | undefined;

function foreign(): ForeignKeys {
  read ??= JSON.parse(readFileSync(fixturePath("foreign-keys.json"), "utf8")) as ForeignKeys;
  return read;
}

/**
 * A key of the type that an algorithm needs, which no receiver trusts. Every run uses the same one.
 * Throws TypeError where there is none.
 */
export function foreignKey(alg: string): IssuerKey {
  const jwk = foreign().keys.find(({ kty, crv }) =>
    crv ? crv === CURVES[alg] : kty === "RSA" && !CURVES[alg],
  );
  if (!jwk) throw new TypeError(`no foreign key for ${alg}`);
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicJwk } = jwk;
  return { kid: "foreign", alg, privateJwk: jwk, publicJwk };
}

/** The foreign key's self-signed certificate, as in `x5c`. Throws TypeError where there is none. */
export function foreignCertificate(alg: string): string {
  const certificate = foreign().certificates[CURVES[alg] ?? "RSA"];
  if (certificate === undefined) throw new TypeError(`no foreign certificate for ${alg}`);
  return certificate;
}
