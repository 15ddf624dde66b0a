import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { Probe } from "../../../src/probe/probe.ts";

/** The first read of an organization or a list whose good request is known; `undefined` where there is none. */
export async function knownRead(probe: Probe): Promise<OperationId | undefined> {
  const reads = OPERATION_IDS.filter((id) => !OPERATIONS[id].writes && !OPERATIONS[id].change);
  for (const id of reads.filter((one) => probe.target.operations[one])) {
    if ("control" in (await probe.tryControl(id))) return id;
  }
  return undefined;
}
