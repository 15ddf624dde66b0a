import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { besideOthers, custom, type MutationCase } from "../../../src/probe/cases.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule-case.ts";

/**
 * Writes with a token that is unbound where the usual one is bound, or the other way round. Routes that decide on the binding
 * first may forget a check for one of both. For reads, one request tries this together with other unusual parts.
 */

const WRITES: readonly OperationId[] = OPERATION_IDS.filter((id) => OPERATIONS[id].writes);

/**
 * A case for each write, `<mutation>-otherwise-bound@<operation>`. Its control is the one of `receiver.binding-accepted`, so
 * a receiver that rejects the mutation accepts no further write.
 */
export function rejectsOtherwiseBound(mutation: InvalidMutation): RuleCase[] {
  return custom(WRITES, [mutation], judge).map((one) =>
    besideOthers({
      ...one,
      id: `${mutation.name}-otherwise-bound@${one.operation}`,
      title: `${mutation.what}; it is unbound if the usual token is bound, and bound if not`,
    }),
  );
}

async function judge(probe: Probe, { mutation, operation }: MutationCase): Promise<Finding> {
  const { form } = await probe.control(operation);
  const bound = !form.bound;
  const other = await probe.tryControl(operation, { bound });
  if ("control" in other) return probe.rejects(mutation, { bound });
  const { finding, reply } = other.refusal;
  if (finding.kind === "inconclusive" && (!reply || reception(reply) === "unclear")) return finding;
  const reason = phrase`no good token is accepted that is ${bound ? "bound" : "unbound"}`;
  return { kind: "not-applicable", reason };
}
