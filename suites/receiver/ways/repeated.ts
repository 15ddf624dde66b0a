import type { OperationId } from "../../../src/contract/operations.ts";
import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { besideOthers, custom } from "../../../src/probe/cases.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { compact } from "../../../src/tokens/compact.ts";

/**
 * A bad token that is sent a second and a third time, byte for byte. A receiver that remembers a token before it has made all checks
 * takes it for a checked one from then on.
 */

/** Cases for a mutation whose token must be rejected again, named `<mutation>-again@<operation>`. */
export function rejectsAgain(
  operations: readonly OperationId[],
  mutation: InvalidMutation,
): RuleCase[] {
  const again: InvalidMutation = {
    ...mutation,
    name: `${mutation.name}-again`,
    what: `${mutation.what}; the same token was rejected a moment ago`,
  };
  return custom(operations, [again], async (probe): Promise<Finding> => {
    let token = "";
    const where = { age: probe.newAge() };
    const first = await probe.rejects(
      { ...again, token: { ...again.token, text: (segments) => (token = compact(segments)) } },
      where,
    );
    if (first.kind !== "pass") return first;
    const second = await probe.rejects(
      { ...again, token: { ...again.token, text: () => token, sentBefore: true } },
      where,
    );
    if (second.kind !== "pass") return second;
    return probe.rejects(
      { ...again, token: { ...again.token, text: () => token, sentBefore: true } },
      where,
    );
  }).map((one) => ({ ...besideOthers(one), sends: 3 }));
}
