import type { IssuerKey } from "../profile/target.ts";

/** The test issuer's JWK Set where the run publishes it: `testIssuer.serve`. */
export interface PublishedKeys {
  /** Makes a key for an algorithm and adds it to the published set. */
  add(alg: string): Promise<IssuerKey>;
  /** Removes a key from the published set. */
  withdraw(kid: string): void;
}
