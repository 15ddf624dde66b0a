import type { OperationId } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import type { Observe } from "./outgoing-request.ts";
import { distinct, type FoundId, submittedChangeIds } from "./read/change-ids.ts";
import { type Reception, reception } from "./reception.ts";
import type { WritePurpose } from "./write/purposes.ts";

/** A value of `${unique}` in a write, and the result of the write. */
export interface UniqueValue {
  readonly value: string;
  readonly caseId: string;
  readonly operation: OperationId;
  readonly organization: string | undefined;
  /** Why it was written; see `WritePurpose`. */
  readonly purpose: WritePurpose;
  /** Whether the body had the value. The mutation may have replaced it. */
  readonly isInBody: boolean;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly received: Reception;
  readonly exchange: string;
  /** The ids by which an accepted submission may be read; see `submittedChangeIds`. */
  readonly changeIds: readonly FoundId[];
  /** The time of sending, by `performance.now`. */
  readonly sentMs: number;
}

/** Records what the requests of a run with `${unique}` wrote, by their answers. */
export function createUniqueValues(target: Target, observe: Observe): readonly UniqueValue[] {
  const values: UniqueValue[] = [];
  observe(({ reply, sending }) => {
    const { unique, operation, organization, purpose = "unwanted", caseId, spec } = sending;
    if (unique === undefined || operation === undefined) return;
    const received = reception(reply);
    values.push({
      value: unique,
      caseId,
      operation,
      organization,
      purpose,
      isInBody: spec.body?.includes(unique) ?? false,
      status: reply.status,
      received,
      exchange: reply.exchange.id,
      changeIds:
        operation === "submitChange" && received === "accepted"
          ? distinct(submittedChangeIds(reply, target.operations[operation], organization))
          : [],
      sentMs: reply.underWay?.from ?? performance.now(),
    });
  });
  return values;
}
