import type { IssuerKey } from "../profile/target.ts";

/** The test issuer's JWK Set where the run itself publishes it: `testIssuer.serve`. */
export interface PublishedKeys {
  /** Makes a key for an algorithm, and publishes it beside the others. */
  add(alg: string): Promise<IssuerKey>;
  /** Takes a key out of what is published. */
  withdraw(kid: string): void;
}
