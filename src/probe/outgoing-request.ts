import type { ReceiverCheck } from "../contract/checks.ts";
import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { HttpRequest, TokenNote } from "../http/exchange.ts";
import type { WritePurpose } from "./write/budget.ts";

/** One request as a session sends it. */
export interface OutgoingRequest {
  readonly caseId: string;
  /** Id of the exchange, from `Session.nextId`. Default: the case's next one. */
  readonly id?: string | undefined;
  /** The operation of the request. Absent where it is not one of the contract's routes. */
  readonly operation?: OperationId | undefined;
  readonly spec: HttpRequest;
  readonly token?: string | undefined;
  readonly tokenNote?: TokenNote | undefined;
  readonly unique?: string | undefined;
  readonly organization?: string | undefined;
  /** What the sender expects of a write. Default: `unwanted`. */
  readonly purpose?: WritePurpose | undefined;
  /** The level of the case. Default: MUST. */
  readonly level?: Level | undefined;
  /** The receiver check that the request fails. */
  readonly check?: ReceiverCheck | undefined;
  /** See `SendContext.urgent`. */
  readonly urgent?: boolean | undefined;
  /** See `SendContext.sideBySide`. */
  readonly sideBySide?: boolean | undefined;
  /** See `SendContext.apart`. */
  readonly apart?: boolean | undefined;
}
