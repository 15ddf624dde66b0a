import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";
import { listed } from "../../lib/words.ts";

/** Operations in the contract's order, as a list in words. */
function inOrder(operations: ReadonlySet<OperationId>): string {
  return listed(OPERATION_IDS.filter((id) => operations.has(id)));
}

/** The operations to which something is limited, as the end of a sentence. */
export function placed(on: ReadonlySet<OperationId>, not: ReadonlySet<OperationId>): string {
  return `, on ${inOrder(on)} but not on ${inOrder(not)}`;
}
