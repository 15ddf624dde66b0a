import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";

/** Whose duties a rule is about. */
export const SIDES = ["receiver", "authorization-server"] as const;

export type Side = (typeof SIDES)[number];

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
  /** Default: the rule's. */
  readonly level?: Level | undefined;
  /** Profile keys without which the case is not provisioned, where that is known before the run. */
  readonly needs?: readonly string[] | undefined;
}

/**
 * When a rule's cases run: `probe` with all others at once; `state` after them, each that writes alone,
 * because other writes would disturb what is read; `record` last, over what the run has seen.
 */
export type Phase = "probe" | "state" | "record";

/** One requirement of the contract that a probe over HTTP can judge. */
export interface Rule<C extends RuleCase = RuleCase> {
  /** As in the public list of rules; equal to the file's name; never renamed. */
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** Default: the receiver's. Its probe is that side's. */
  readonly side?: Side;
  /**
   * Ids of the sentences in `fixtures/requirements.yaml` that it verifies. The first one, of the contract,
   * is what it exists for: reports name that one first. A case may name another as its own. Only rules from
   * outside the suite have none.
   */
  readonly verifies?: readonly [main: string, ...others: string[]];
  readonly phase?: Phase;
  /** Rules, or cases `<rule>/<case>`, whose failure on an operation takes the blame for this rule's there. */
  readonly dependsOn?: readonly string[];
  /** The cases for a target, in order; pure, so that a run can be planned before anything is sent. */
  cases(target: Target): readonly C[];
  /** Runs one case. It observes only: control, repetition, level and blame are the engine's. */
  probe(probe: Probe, testCase: C): Promise<Finding>;
}

/** Checks a rule's literal against its own case type and forgets the latter. */
export function defineRule<const C extends RuleCase>(rule: Rule<C>): Rule {
  return rule;
}
