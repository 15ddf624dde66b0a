import { type Mutation, unchanged } from "../mutations/mutation.ts";
import type { AttemptOptions, Probe } from "./probe.ts";

/** The phase of cases that send an entity tag: no write changes it meanwhile, and with an old one a cache does not answer. */
export const WITHOUT_WRITES = { phase: "state" } as const;

/**
 * The entity tag of a good read, sent for this.
 * @param options of the good read, which is of the case's operation
 * @returns `undefined` where the answer has none
 */
export async function currentTag(
  probe: Probe,
  options: AttemptOptions = {},
): Promise<string | undefined> {
  const { reply } = await probe.attempt(unchanged, options);
  return reply.headers["etag"];
}

/** A mutation that also sends If-None-Match. */
export function unlessMatching<M extends Mutation>(mutation: M, tag: string): M {
  return {
    ...mutation,
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["if-none-match", tag]] }),
  };
}
