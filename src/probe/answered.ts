import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { WritePurpose } from "./write/budget.ts";

/** An answer of the run, with its request. */
export interface Answered {
  readonly reply: Reply;
  readonly sending: OutgoingRequest;
  /** The operation of which it is an ordinary request, whose answer is judged in itself; `undefined` for any other request. */
  readonly ordinary: OperationId | undefined;
  /**
   * Sends the request again.
   * @param as what is expected of a write; default: what was expected of this one
   * @returns `undefined` when the run may not write any more
   */
  readonly again: (as?: WritePurpose) => Promise<Reply | undefined>;
}

/** Registers an observer, which is told of each answer of the run. */
export type Observe = (observer: (answered: Answered) => void) => void;
