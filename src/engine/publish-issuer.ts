import { type KeyRotation, openRotation } from "../keys/rotate.ts";
import type { Target } from "../profile/target.ts";

/**
 * Publishes the test issuer's keys where the profile asks for it; `undefined` where it does not.
 * @throws SuiteError when the suite cannot listen on the address of `testIssuer.serve`
 */
export async function publishTestIssuer({ testIssuer }: Target): Promise<KeyRotation | undefined> {
  const { serve, url, keys } = testIssuer;
  if (serve === undefined) return undefined;
  return openRotation(
    serve,
    url,
    keys.map(({ publicJwk }) => publicJwk),
  );
}
