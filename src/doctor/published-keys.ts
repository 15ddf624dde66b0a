import type { KeyRotation } from "../keys/rotate.ts";
import { type Bench, blockingFault, type Check } from "./check.ts";

const SERVED = { id: "token.keys-served", title: "Keys published" };

/** Whether the deployment has fetched the keys that the doctor publishes; nothing where it publishes none. */
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
  const detail = `at ${serve}, and nobody has fetched them`;
  if (blockingFault(setup)?.check !== "key") return [{ ...SERVED, state: "unknown", detail }];
  return [
    {
      ...SERVED,
      state: "problem",
      detail,
      remedy:
        "Let the deployment fetch the JWK Set at /.well-known/jwks.json there, by a name of this machine that it reaches; run and doctor publish it only while they are at work.",
      side: "deployment",
    },
  ];
}
