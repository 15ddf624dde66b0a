import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";

/** Operations in the contract's order, as a list in words. */
function inOrder(operations: ReadonlySet<OperationId>): string {
  const [last, ...before] = OPERATION_IDS.filter((id) => operations.has(id)).toReversed();
  return before.length > 0 ? `${before.toReversed().join(", ")} and ${last}` : `${last}`;
}

/** The operations to which something is limited, as the end of a sentence. */
export function placed(on: ReadonlySet<OperationId>, not: ReadonlySet<OperationId>): string {
  return `, on ${inOrder(on)} but not on ${inOrder(not)}`;
}
