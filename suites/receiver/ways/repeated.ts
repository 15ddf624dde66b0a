import type { OperationId } from "../../../src/contract/operations.ts";
import { type InvalidMutation, withToken } from "../../../src/mutations/mutation.ts";
import { besideOthers, custom } from "../../../src/probe/cases.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { compact } from "../../../src/tokens/compact.ts";
import { inWay } from "./check-options.ts";

/**
 * A bad token that is sent a second and a third time, byte for byte. A receiver that remembers a token before it has made all checks
 * takes it for a checked one from then on.
 */

/** Cases for a mutation whose token must be rejected again, named `<mutation>-again@<operation>`. */
export function rejectsAgain(
  operations: readonly OperationId[],
  mutation: InvalidMutation,
): RuleCase[] {
  const again = inWay(mutation, "again", "the same token was rejected a moment ago");
  return custom(operations, [again], async (probe): Promise<Finding> => {
    let token = "";
    const where = { age: probe.newAge() };
    const first = withToken(again, { text: (segments) => (token = compact(segments)) });
    const repeated = withToken(again, { text: () => token, sentBefore: true });
    let finding = await probe.rejects(first, where);
    for (let times = 0; times < 2 && finding.kind === "pass"; times++) {
      finding = await probe.rejects(repeated, where);
    }
    return finding;
  }).map((one) => ({ ...besideOthers(one), sends: 3 }));
}
