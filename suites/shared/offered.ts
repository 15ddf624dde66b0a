import type { OperationId } from "../../src/contract/operations.ts";
import { endCase } from "../../src/probe/case-end.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { OperationProfile } from "../../src/profile/operation.ts";

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
