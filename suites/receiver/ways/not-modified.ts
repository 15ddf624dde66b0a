import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import type { RuleCase } from "../../../src/probe/rule-case.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { type CheckOptions, readFor, rejectOptions } from "./check-options.ts";
import { ANY_TAG, currentTag, unlessMatching, WITHOUT_WRITES } from "./entity-tag.ts";
import { near } from "./near-routes.ts";

/**
 * Requests for what the client says that it has, RFC 9110 §13.1.2. A cache, or a handler that compares first, answers them
 * with 304 before a check.
 */

/** The same request without a token. Where it is answered with 304, no check comes before that. */
const TOKENLESS = "receiver.token-required/if-none-match";

const CONDITION: Mutation = { name: "if-none-match", what: "If-None-Match matches" };

/** The request with If-None-Match. */
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
  ).map((one) => ({ ...one, ...WITHOUT_WRITES, dependsOn: [TOKENLESS] }));
}
