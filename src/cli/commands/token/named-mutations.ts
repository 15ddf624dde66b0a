import { RULES } from "../../../../suites/index.ts";
import type { OperationId } from "../../../contract/operations.ts";
import type { Mutation } from "../../../mutations/mutation.ts";
import { onlyMutation } from "../../../probe/rule.ts";
import type { Target } from "../../../profile/target.ts";

/** One mutation that a rule applies to good requests, with the operations of its cases. */
export interface NamedMutation {
  /** `<rule id>/<name>`: the id of its cases up to the `@`. */
  readonly name: string;
  readonly mutation: Mutation;
  readonly operations: readonly OperationId[];
  /** Set when the mutation needs a bound token (true) or an unbound one (false). */
  readonly bound?: boolean | undefined;
}

/** Every mutation in the cases of the rules for a target, in the order of the registry. */
export function namedMutations(target: Target): NamedMutation[] {
  const found = new Map<string, NamedMutation>();
  for (const rule of RULES) {
    for (const testCase of rule.cases(target)) {
      const { id, operation, control } = testCase;
      const mutation = onlyMutation(testCase);
      if (mutation === undefined || operation === undefined) continue;
      const name = `${rule.id}/${id.split("@", 1)[0]}`;
      const known = found.get(name);
      found.set(name, {
        name,
        mutation,
        operations: [...(known?.operations ?? []), operation],
        ...(control?.bound !== undefined && { bound: control.bound }),
      });
    }
  }
  return [...found.values()];
}
