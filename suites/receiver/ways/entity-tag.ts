import type { OperationId } from "../../../src/contract/operations.ts";
import { type Mutation, unchanged } from "../../../src/mutations/mutation.ts";
import type { Probe } from "../../../src/probe/probe.ts";

/** The phase of cases that send an entity tag: no write changes it meanwhile, and with an old one a cache does not answer. */
export const WITHOUT_WRITES = { phase: "state" } as const;

/** Matches whatever the resource is. */
export const ANY_TAG = "*";

/**
 * The entity tag of a good read of an organization, sent once in a run; `ANY_TAG` where the answer has none. Only cases that
 * run without writes use it, so it stays current.
 * @param bound whether the token is bound
 * @param organization default: the primary one
 */
export async function currentTag(
  probe: Probe,
  operation: OperationId,
  bound: boolean,
  organization?: string,
): Promise<string> {
  const { primary } = await probe.organizations();
  const of = organization ?? primary;
  return probe.use({
    name: `entity tag ${operation} ${of} ${bound}`,
    scope: "run",
    async setup(by) {
      const { reply } = await by.attempt(unchanged, { operation, bound, organization: of });
      return reply.headers["etag"] ?? ANY_TAG;
    },
  });
}

/** A mutation that also sends If-None-Match. */
export function unlessMatching<M extends Mutation>(mutation: M, tag: string): M {
  return {
    ...mutation,
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["if-none-match", tag]] }),
  };
}
