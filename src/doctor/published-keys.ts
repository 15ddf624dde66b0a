import type { KeyRotation } from "../keys/rotate.ts";
import { type Bench, blockingFault, type Check } from "./check.ts";

const SERVED = { id: "token.keys-served", title: "Keys published" };

/**
 * Checks whether the deployment has fetched the keys that `doctor` publishes.
 * @returns no checks when the profile has no `testIssuer.serve`
 */
export function publishedKeysCheck(
  { target, setup }: Bench,
  published: Pick<KeyRotation, "fetches"> | undefined,
): Check[] {
  const { serve } = target.testIssuer;
  if (!published || serve === undefined) return [];
  const { fetches } = published;
  if (fetches > 0) {
    const times = fetches === 1 ? "once" : `${fetches} times`;
    return [{ ...SERVED, state: "ok", detail: `at ${serve}, and fetched ${times}` }];
  }
  const detail = `at ${serve}, but nothing has fetched them`;
  if (blockingFault(setup)?.check !== "key") return [{ ...SERVED, state: "unknown", detail }];
  return [
    {
      ...SERVED,
      state: "problem",
      detail,
      remedy:
        "Let the deployment fetch the JWK Set from /.well-known/jwks.json there, under a name of this machine that it can reach. run and doctor publish it only while they work.",
      side: "deployment",
    },
  ];
}
