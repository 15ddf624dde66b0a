import { type Mutation, unchanged } from "../../../src/mutations/mutation.ts";
import type { AttemptOptions, Probe } from "../../../src/probe/probe.ts";

/** The phase of cases that send an entity tag: no write changes it meanwhile, and with an old one a cache does not answer. */
export const WITHOUT_WRITES = { phase: "state" } as const;

/** Matches whatever the resource is. */
export const ANY_TAG = "*";

/**
 * The entity tag of a good read, sent for this.
 * @param options of the good read, which is of the case's operation
 * @returns `ANY_TAG` where the answer has none
 */
export async function currentTag(probe: Probe, options: AttemptOptions = {}): Promise<string> {
  const { reply } = await probe.attempt(unchanged, options);
  return reply.headers["etag"] ?? ANY_TAG;
}

/** A mutation that also sends If-None-Match. */
export function unlessMatching<M extends Mutation>(mutation: M, tag: string): M {
  return {
    ...mutation,
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["if-none-match", tag]] }),
  };
}
