import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Mutation } from "../mutations/mutation.ts";
import type { Need } from "../profile/need.ts";

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
  /** The one mutation that it makes to a good request, if it makes one. */
  readonly mutation?: Mutation | undefined;
  /** The mutations that it makes one after another or together, where there are several. */
  readonly mutations?: readonly Mutation[] | undefined;
  /** Only a bound or only an unbound token serves as control. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** Why there is no such thing, where that is known before the run. */
  readonly inapplicable?: string | undefined;
  /** It stands for a rule that has no cases for the target: it is reported, and counts for no coverage. */
  readonly placeholder?: boolean | undefined;
  /** It sends what could write, though its operation is a read. Default: as the operation. */
  readonly writes?: boolean | undefined;
  /** It is judged by what this operation has written: without that, or without consent to writes, it is not. */
  readonly judgesWriteOf?: OperationId | undefined;
  /** About how many requests it sends. Default: one, of the phase `record` none but for a mutation. */
  readonly sends?: number | undefined;
  /** It reads, and waits for seconds in between: it starts at once, and all but the last phase goes on meanwhile. Default: false. */
  readonly waits?: boolean | undefined;
  /**
   * What it writes has to be rejected, and it is judged by its answers alone: what other cases write meanwhile does not
   * disturb it, nor does it disturb them. In the phase `state`, cases of its rule with the same word may write beside it; in
   * the phase `probe`, all cases that have such a word. Default: it is alone.
   */
  readonly beside?: string | undefined;
  /** It and its controls are sent as an ordinary client sends them; see `withoutMarks`. Default: false. */
  readonly unmarked?: boolean | undefined;
  /**
   * What comes of it follows from the answer to its own request alone, with a control before and after: whoever reads
   * a report can always judge it again. Default: false.
   */
  readonly byAnswer?: boolean | undefined;
  /** Default: the rule's. */
  readonly level?: Level | undefined;
  /**
   * What it cannot be judged without, beside what every case of its operation needs: an organization, a
   * change, a body, consent to writes. What neither the profile nor the deployment provides is not
   * provisioned, and nothing is sent.
   */
  readonly needs?: readonly Need[] | undefined;
}
