import type { ReceiverCheck } from "../contract/checks.ts";
import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { SendContext } from "../http/attempts.ts";
import type { HttpRequest, Reply } from "../http/exchange.ts";
import type { WriteGrant } from "./write/budget.ts";
import type { WritePurpose } from "./write/purposes.ts";

/** One request as a session sends it. */
export interface OutgoingRequest extends Pick<
  SendContext,
  "caseId" | "token" | "tokenNote" | "urgent" | "sideBySide" | "apart"
> {
  /** Id of the exchange, from `Session.nextId`. Default: the case's next one. */
  readonly id?: string | undefined;
  /** The operation of the request. Absent where it is not one of the contract's routes. */
  readonly operation?: OperationId | undefined;
  readonly spec: HttpRequest;
  readonly unique?: string | undefined;
  readonly organization?: string | undefined;
  /** What the sender expects of a write. Default: `unwanted`. */
  readonly purpose?: WritePurpose | undefined;
  /** What its stage may do, where it must be rejected; see `WriteLimit.beginStage`. */
  readonly grant?: WriteGrant | undefined;
  /** What the request, accepted where it must not be, would violate. Default: MUST. */
  readonly level?: Level | undefined;
  /** The receiver check that the request fails. */
  readonly check?: ReceiverCheck | undefined;
}

/** An answer of the run, with its request. */
export interface Answered {
  readonly reply: Reply;
  readonly sending: OutgoingRequest;
  /** The operation of which it is an ordinary request, whose answer is judged in itself; `undefined` for any other request. */
  readonly ordinary: OperationId | undefined;
  /**
   * Sends the request again; see `SECOND_TRIES.oneAnswer`.
   * @param as what is expected of a write; default: what was expected of this one
   * @returns `undefined` when the run may not write any more
   */
  readonly again: (as?: WritePurpose) => Promise<Reply | undefined>;
}

/** Registers an observer, which is told of each answer of the run. */
export type Observe = (observer: (answered: Answered) => void) => void;
