import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Mutation } from "../mutations/mutation.ts";
import type { Need } from "../profile/need.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";

/**
 * When a case runs:
 * - `probe`: first, together with all others
 * - `state`: after the last write of `probe`; a case that writes runs alone, because its writes would
 *   disturb what others read
 * - `quiet`: after those, when nothing else is under way except cases that wait
 * - `record`: last, because it judges everything that the run has seen
 */
export type Phase = "probe" | "state" | "quiet" | "record";

/** What a case is, without the function that judges it. */
export interface CaseData {
  /** Unique in the rule; `<what>@<operation>` by convention. */
  readonly id: string;
  /** What the case tries, as a phrase. Default: the title of the rule. */
  readonly title?: string | undefined;
  /** Id of the sentence that the case verifies. Default: the main sentence of the rule. */
  readonly requirement?: string | undefined;
  /** Why a receiver that lets this pass is wrong, as a clause without a full stop. */
  readonly why?: string | undefined;
  /** The source of that: a clause of the contract, an RFC section, a CVE. */
  readonly source?: string | undefined;
  /** Decides the control, the lane in which the case runs, and whether it writes. */
  readonly operation?: OperationId | undefined;
  /** The endpoint of the authorization server that it is about, such as `token`. The receiver has operations. */
  readonly endpoint?: string | undefined;
  /** The client of the authorization server that it is about. */
  readonly client?: string | undefined;
  /** How often a person has to give consent. Default: never. */
  readonly consents?: number | undefined;
  /** How many more consents a program may have to give, where a refused request ends the grant. Default: none. */
  readonly furtherConsents?: number | undefined;
  /** The mutation that it makes to a good request, if it makes exactly one. */
  readonly mutation?: Mutation | undefined;
  /** The mutations that it makes, one after another or together, if there are several. */
  readonly mutations?: readonly Mutation[] | undefined;
  /** Whether the token of the control must be bound, or must be unbound. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** Why the case does not apply, if that is known before the run. */
  readonly inapplicable?: string | undefined;
  /** Whether it stands for a rule without cases for the target. It is reported, but does not count as coverage. */
  readonly placeholder?: boolean | undefined;
  /** Whether its requests may write. Default: as the operation does. */
  readonly writes?: boolean | undefined;
  /** The operation whose writes it judges. Without such a write, or without consent to writes, it is not judged. */
  readonly judgesWriteOf?: OperationId | undefined;
  /** About how many requests it sends. Default: one; in the phase `record` none without a mutation. */
  readonly sends?: number | undefined;
  /** Whether it waits for seconds between reads. Then it starts at once, beside all phases except the last. Default: false. */
  readonly waits?: boolean | undefined;
  /**
   * Whether it may write beside other cases: its writes must be rejected, and it is judged by its own answers, so that
   * concurrent writes disturb neither it nor others. Where it has to read back what was written, it returns
   * `UNDECIDED_BESIDE_WRITES` and runs again, alone. In the phase `probe` it runs beside all such cases, in the phase `state`
   * beside those of its rule. Default: it runs alone.
   */
  readonly beside?: boolean | undefined;
  /** Whether it and its controls are sent as an ordinary client sends them; see `withoutMarks`. Default: false. */
  readonly unmarked?: boolean | undefined;
  /**
   * Whether its outcome follows from the answer to its own request, with a control before and after. Then it can be judged
   * again from the report. Default: false.
   */
  readonly byAnswer?: boolean | undefined;
  /**
   * Whether the controls that it uses are sent again after it, because its finding rests on them. False where it judges an
   * answer by itself. Default: true.
   */
  readonly bracketed?: boolean | undefined;
  /** What it depends on beside what its rule depends on; see `Rule.dependsOn`. */
  readonly dependsOn?: readonly string[] | undefined;
  /** When it runs. Default: the rule's phase. */
  readonly phase?: Phase | undefined;
  /** Default: the rule's. */
  readonly level?: Level | undefined;
  /**
   * What it needs beside what every case of its operation needs: an organization, a change, a body, consent to
   * writes. If neither the profile nor the deployment provides it, the case is not provisioned and sends nothing.
   */
  readonly needs?: readonly Need[] | undefined;
}

/** One thing that a rule tries; reported as `<rule id>/<id>`. `P` is the probe of its side. */
export interface RuleCase<P = Probe> extends CaseData {
  /**
   * Runs it. It only observes. The engine handles controls, repetition, level and blame.
   * It is a method, so that the engine can hold the cases of all sides in one list.
   */
  judge(probe: P): Promise<Finding>;
}
