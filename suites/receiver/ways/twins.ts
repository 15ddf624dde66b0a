import type { OperationId } from "../../../src/contract/operations.ts";
import {
  type InvalidMutation,
  type Mutation,
  type Patch,
  patchFor,
  signedAnew,
  withToken,
} from "../../../src/mutations/mutation.ts";
import { custom } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { type CheckOptions, inWay } from "./check-options.ts";

/**
 * Two tokens of one subject, issued in the same second. A cache whose key is made of such claims takes both for the same. Other
 * tokens of a run have the same times only by chance.
 */

/**
 * A case for a mutation on each operation, `<mutation>-twin@<operation>`: it must be rejected though a good token with the same
 * `sub`, `iat` and `exp` was accepted a moment ago.
 * @param operations reads, because accepted writes are limited
 */
export function rejectsTwin(
  operations: readonly OperationId[],
  mutation: InvalidMutation,
  options: Pick<CheckOptions, "bound"> = {},
): RuleCase[] {
  const what = "a good one of the same subject and the same times was accepted a moment ago";
  const twin: InvalidMutation = { ...inWay(mutation, "twin", what), signsAsIssuer: true };
  const judge = async (probe: Probe): Promise<Finding> => {
    let times: Patch = {};
    const good: Mutation = {
      ...signedAnew,
      token: { claims: ({ claims: { iat, exp } }) => (times = { iat, exp }) },
    };
    const where = { ...options, age: probe.newAge(), purpose: "wanted" } as const;
    const { reply, evidence } = await probe.attempt(good, where);
    if (reception(reply) !== "accepted") {
      const reason = phrase`its twin, a good token, was not accepted: ${describeReply(reply)}`;
      return Finding.inconclusive(reason, evidence);
    }
    const timed = withToken(twin, {
      claims: (draft, context) => ({ ...patchFor(twin.token?.claims, draft, context), ...times }),
    });
    return probe.rejects(timed, options);
  };
  return custom(operations, [twin], judge, { sends: 2 });
}
