import { OPERATIONS, OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import type { Breakage, Change } from "../tokens/change.ts";
import type { RuleCase } from "./rule.ts";

/** A case that makes one change to the good request of one operation. */
export interface ChangeCase<C extends Change = Change> extends RuleCase {
  readonly operation: OperationId;
  readonly change: C;
}

/** The five operations below one organization. */
export const ORGANIZATION_OPERATIONS: readonly OperationId[] = OPERATION_IDS.filter(
  (id) => OPERATIONS[id].organization,
);

/** One case for each change on each operation, named `<change>@<operation>`. */
export function casesOn<C extends Change | Breakage>(
  operations: readonly OperationId[],
  changes: readonly C[],
): ChangeCase<C>[] {
  return operations.flatMap((operation) =>
    changes.map((change) => ({
      id: `${change.name}@${operation}`,
      title: change.what,
      operation,
      change,
      ...("level" in change && { level: change.level }),
      ...("needs" in change && { needs: change.needs }),
      ...("why" in change && {
        why: change.why,
        source: change.source,
        requirement: change.requirement,
      }),
    })),
  );
}

/**
 * One read and one write that the deployment offers: where a long list of exotic changes is tried,
 * because receivers that differ by route differ in whether they check, not in how.
 * @param among the operations that it makes sense on; default: all
 */
export function oneReadOneWrite(
  target: Target,
  among: readonly OperationId[] = OPERATION_IDS,
): OperationId[] {
  const offered = among.filter((id) => target.operations[id]);
  const preferred = (ids: readonly OperationId[]): OperationId[] =>
    ids.filter((id) => offered.includes(id)).slice(0, 1);
  return [
    ...preferred(["viewOrganization", "listOrganizations", "readChangesFeed", "readChange"]),
    ...preferred(["editOrganization", "submitChange"]),
  ];
}

/** Where one operation is enough: a read that the deployment offers, a write only where it offers none. */
export function oneRead(target: Target): OperationId[] {
  return oneReadOneWrite(target).slice(0, 1);
}
