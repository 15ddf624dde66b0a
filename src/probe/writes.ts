import PQueue from "p-queue";

import type { Operation, OperationId } from "../contract/operations.ts";

/** Accepted writes that a run allows itself for one operation; one below the limit that it promises. */
const MOST_ACCEPTED = 19;
/** Of these, kept back for controls. */
const RESERVED = 3;
const AT_ONCE = 4;

/** Keeps a run's writes few and, where they ought to be accepted, one after the other. */
export interface WriteLimit {
  /**
   * Runs a send that may turn out to be an accepted write.
   * @returns `undefined`, without sending, when too many have been accepted already
   */
  run<T extends { status: number }>(
    operation: Operation,
    purpose: "control" | "wanted" | "unwanted",
    send: () => Promise<T>,
  ): Promise<T | undefined>;
  /** Accepted writes so far, by operation. */
  readonly accepted: ReadonlyMap<OperationId, number>;
}

function count(map: Map<OperationId, number>, id: OperationId, by: number): void {
  map.set(id, (map.get(id) ?? 0) + by);
}

export function createWriteLimit(): WriteLimit {
  const accepted = new Map<OperationId, number>();
  const underWay = new Map<OperationId, number>();
  // Two accepted edits of one organization at once could meet a 409 that says nothing about tokens.
  const wanted = new PQueue({ concurrency: 1 });
  const unwanted = new PQueue({ concurrency: AT_ONCE });
  return {
    accepted,
    async run(operation, purpose, send) {
      if (!operation.writes) return send();
      const lane = purpose === "unwanted" ? unwanted : wanted;
      return lane.add(async () => {
        const spent = (accepted.get(operation.id) ?? 0) + (underWay.get(operation.id) ?? 0);
        if (spent >= MOST_ACCEPTED - (purpose === "control" ? 0 : RESERVED)) return undefined;
        count(underWay, operation.id, 1);
        try {
          const reply = await send();
          if (reply.status >= 200 && reply.status < 300) count(accepted, operation.id, 1);
          return reply;
        } finally {
          count(underWay, operation.id, -1);
        }
      });
    },
  };
}
