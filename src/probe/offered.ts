import type { OperationId } from "../contract/operations.ts";
import type { OperationProfile } from "../profile/operation.ts";
import { endCase } from "./case-end.ts";
import { phrase } from "./phrase.ts";
import type { Probe } from "./probe.ts";

/**
 * What the profile says of an operation.
 * @throws CaseEnd (not applicable) where the operation is not offered
 */
export function offered({ target }: Probe, operation: OperationId): OperationProfile {
  return (
    target.operations[operation] ??
    endCase({ kind: "not-applicable", reason: phrase`${operation} is not offered` })
  );
}
