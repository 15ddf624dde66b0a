import { OPERATIONS, type Operation, type OperationId } from "../contract/operations.ts";
import type { HttpClient } from "../http/client.ts";
import type { Reply, RequestSpec, TokenNote } from "../http/exchange.ts";
import type { Target } from "../profile/target.ts";
import { type ErrorAnswer, judgeErrorBody, owesErrorBody } from "./error-record.ts";
import { createWriteLimit, type WriteLimit } from "./writes.ts";

/** A value that stood for `${unique}` in a write, and what became of the write. */
export interface UniqueValue {
  readonly value: string;
  readonly case: string;
  readonly operation: OperationId;
  readonly organization: string | undefined;
  /** 0 when there was no answer. */
  readonly status: number;
}

/** One request as a session sends it. */
export interface Sending {
  readonly case: string;
  /** The operation that it is a request of; absent for what is none of the contract's routes. */
  readonly operation?: OperationId | undefined;
  readonly spec: RequestSpec;
  readonly token?: string | undefined;
  readonly tokenNote?: TokenNote | undefined;
  readonly unique?: string | undefined;
  readonly organization?: string | undefined;
  /** What the sender expects of a write. Default: `unwanted`. */
  readonly purpose?: "control" | "wanted" | "unwanted" | undefined;
}

/** What one run shares between its cases: the connection, the clock, and what it has seen. */
export interface Session {
  readonly target: Target;
  readonly seed: number;
  /** Seconds that the deployment's `Date` is ahead of this machine's clock; `undefined`: it sends none. */
  readonly clockOffsetSeconds: number | undefined;
  /** Every 4xx and 5xx of an offered operation for which an Error body is owed, in order of arrival. */
  readonly errors: readonly ErrorAnswer[];
  readonly uniqueValues: readonly UniqueValue[];
  readonly acceptedWrites: WriteLimit["accepted"];
  /** How often each status answered a request that failed a receiver check, by check. */
  readonly rejections: ReadonlyMap<number, ReadonlyMap<number, number>>;
  noteRejection(check: number, status: number): void;
  /**
   * Sends and takes note.
   * @returns `undefined`, without sending, when the run has written as often as it may
   * @throws Interrupted
   */
  send(sending: Sending): Promise<Reply | undefined>;
}

/** Opens a session on a target whose clock has been read. */
export function createSession(
  target: Target,
  http: HttpClient,
  seed: number,
  clockOffsetSeconds: number | undefined,
): Session {
  const limit = createWriteLimit();
  const errors: ErrorAnswer[] = [];
  const uniqueValues: UniqueValue[] = [];
  const rejections = new Map<number, Map<number, number>>();

  async function send(sending: Sending): Promise<Reply | undefined> {
    const { operation, spec, unique } = sending;
    const transmit = (): Promise<Reply> =>
      http.send(spec, { case: sending.case, token: sending.token, tokenNote: sending.tokenNote });
    const reply = await limit.run(governing(sending), sending.purpose ?? "unwanted", transmit);
    if (!reply) return undefined;
    if (unique !== undefined && operation !== undefined) {
      const { organization, case: sender } = sending;
      uniqueValues.push({
        value: unique,
        case: sender,
        operation,
        organization,
        status: reply.status,
      });
    }
    if (operation !== undefined && owesErrorBody(reply.status)) {
      errors.push({
        ...judgeErrorBody(reply),
        operation,
        exchange: reply.exchange.id,
        case: sending.case,
        again: transmit,
      });
    }
    return reply;
  }

  return {
    target,
    seed,
    clockOffsetSeconds,
    errors,
    uniqueValues,
    rejections,
    noteRejection(check, status) {
      const counts = rejections.get(check) ?? new Map<number, number>();
      rejections.set(check, counts.set(status, (counts.get(status) ?? 0) + 1));
    },
    acceptedWrites: limit.accepted,
    send,
  };
}

/** The operation whose writes a request counts among; what is no route of the contract reads. */
function governing(sending: Sending): Operation {
  return OPERATIONS[sending.operation ?? "listOrganizations"];
}
