import { RULES } from "../../suites/index.ts";
import type { OperationId } from "../contract/operations.ts";
import type { RuleCase } from "../probe/rule.ts";
import type { Target } from "../profile/target.ts";
import type { Breakage, Change } from "../tokens/change.ts";

/** One change that a rule makes to good requests, on the operations of its cases. */
export interface NamedChange {
  /** `<rule id>/<name>`: the ids of its cases up to the `@`. */
  readonly name: string;
  readonly change: Change & Partial<Pick<Breakage, "check" | "why" | "needs">>;
  readonly operations: readonly OperationId[];
  /** Only a bound or only an unbound token will do. */
  readonly bound?: boolean | undefined;
}

/** Every change that cases of the rules are made with for a target, in the order of the registry. */
export function namedChanges(target: Target): NamedChange[] {
  const found = new Map<string, NamedChange>();
  for (const rule of RULES) {
    for (const testCase of rule.cases(target)) {
      const { id, operation, change, bound } = testCase as CaseOfChange;
      if (!isChange(change) || operation === undefined) continue;
      const name = `${rule.id}/${id.split("@", 1)[0]}`;
      const known = found.get(name);
      found.set(name, {
        name,
        change,
        operations: [...(known?.operations ?? []), operation],
        ...(typeof bound === "boolean" && { bound }),
      });
    }
  }
  return [...found.values()];
}

/** Beyond what every case has; most rules' cases have it. */
interface CaseOfChange extends RuleCase {
  readonly change?: unknown;
  readonly bound?: unknown;
}

function isChange(value: unknown): value is Change {
  return typeof value === "object" && value !== null && "name" in value && "what" in value;
}
