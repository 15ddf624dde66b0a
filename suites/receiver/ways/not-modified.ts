import type { OperationId } from "../../../src/contract/operations.ts";
import { type InvalidMutation, type Mutation, unchanged } from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { type CheckOptions, near, readFor, rejectOptions } from "./check-options.ts";

/**
 * Requests for what the client says that it has, RFC 9110 §13.1.2. A cache, or a handler that compares first, answers them
 * with 304 before a check.
 */

/** A conditional request without a token. Where it is answered with 304, no check comes before that. */
const TOKENLESS = "receiver.token-required/if-none-match";

const CONDITION: Mutation = { name: "if-none-match", what: "If-None-Match matches" };

function conditional(mutation: InvalidMutation, tag: string): InvalidMutation {
  return near(mutation, unlessMatching(CONDITION, tag));
}

/**
 * A case for a mutation that must be rejected although If-None-Match matches, `<mutation>-if-none-match@<operation>`.
 */
export function rejectsIfNoneMatch(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  return custom(
    readFor(facts, options),
    [conditional(mutation, ANY_TAG)],
    async (probe, { operation }): Promise<Finding> => {
      const { form } = await probe.control(operation, { bound: options.bound });
      // A condition may be refused before any check. The status of a refusal is judged without one.
      const { status: _, ...judged } = rejectOptions(probe, options);
      const where = { ...judged, bound: form.bound };
      // The tag is that of the good subject's answer. There is none where that one is denied too.
      const tag = await currentTag(probe, operation, form.bound, where.organization);
      return probe.rejects(conditional(mutation, tag), where);
    },
    { ...WITHOUT_WRITES, dependsOn: [TOKENLESS] },
  );
}

/** The phase of cases that send an entity tag: no write changes it meanwhile, and with an old one a cache does not answer. */
export const WITHOUT_WRITES = { phase: "state" } as const;

/** Matches whatever the resource is. */
const ANY_TAG = "*";

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
