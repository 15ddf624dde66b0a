import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";

/** One thing that a rule tries; reported as `<rule id>/<id>`. */
export interface RuleCase {
  /** Unique in the rule; by custom `<what>@<operation>`. */
  readonly id: string;
  /** What is tried, as a phrase; the rule's title where absent. */
  readonly title?: string | undefined;
  /** Id of the sentence that the case verifies. Default: the rule's main one. */
  readonly requirement?: string | undefined;
  /** Why a receiver that lets this pass is wrong, as a clause without a full stop. */
  readonly why?: string | undefined;
  /** Where that is said, or where it happened: a clause of the contract, an RFC section, a CVE. */
  readonly source?: string | undefined;
  /** Decides the control, the lane in which the case runs, and whether it writes. */
  readonly operation?: OperationId | undefined;
  /** The endpoint of the other side that it is about: `token`. Operations are the receiver's. */
  readonly endpoint?: string | undefined;
  /** The client of the authorization server that it is about. */
  readonly client?: string | undefined;
  /** How often somebody has to give consent for it. Default: never. */
  readonly consents?: number | undefined;
  /** Why there is no such thing, where that is known before the run. */
  readonly inapplicable?: string | undefined;
  /** It sends what could write, though its operation is a read. Default: as the operation. */
  readonly writes?: boolean | undefined;
  /** It is judged by what this operation has written: without that, or without consent to writes, it is not. */
  readonly judgesWriteOf?: OperationId | undefined;
  /** It and its controls are sent as an ordinary client sends them; see `withoutMarks`. Default: false. */
  readonly unmarked?: boolean | undefined;
  /** Default: the rule's. */
  readonly level?: Level | undefined;
  /** Profile keys without which the case is not provisioned, where that is known before the run. */
  readonly needs?: readonly string[] | undefined;
}
