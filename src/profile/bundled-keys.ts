import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { join } from "node:path";

import type { Jwk } from "../keys/algorithms.ts";
import { PUBLIC_FILE, readJwks } from "../keys/jwks-file.ts";
import { SuiteError } from "../lib/errors.ts";
import { packageRoot } from "../lib/package-root.ts";
import { isLoopbackHost } from "../lib/uri.ts";
import type { IssuerKey, Target } from "./target.ts";

/** The folder of the test issuer that ships with the package. */
export const BUNDLED_KEYS: string = join(packageRoot, "keys");

/**
 * Whether any of the keys ships with the package. Compares key material, because a copy under another
 * name is just as public.
 */
export function hasBundledKey(keys: readonly IssuerKey[]): boolean {
  const bundled = readJwks(BUNDLED_KEYS, PUBLIC_FILE).map(publicKeyOf);
  return keys.some((key) =>
    bundled.some((known) => known.equals(publicKeyOf(key.publicJwk as Jwk))),
  );
}

function publicKeyOf(jwk: Jwk): KeyObject {
  return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
}

/**
 * Refuses the bundled keys for every host that is not loopback, because anybody can read their
 * private halves.
 * @param allowed the `--allow-bundled-keys` option
 * @throws {SuiteError} when the target is such a host, trusts bundled keys, and `allowed` is false
 */
export function refuseBundledKeys(target: Target, allowed: boolean): void {
  const { hostname } = new URL(target.baseUrl);
  if (allowed || !target.testIssuer.bundled || isLoopbackHost(hostname)) return;
  throw new SuiteError(
    "ERR_KEYS",
    `The bundled keys are public: anybody who has this package can sign tokens that ${hostname} would accept.`,
    {
      hint: "Make your own with `orgsync-conformance keys generate <folder>` and name the folder in testIssuer.keys, or pass --allow-bundled-keys.",
    },
  );
}
