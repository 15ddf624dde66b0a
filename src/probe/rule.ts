import type { Level } from "../contract/levels.ts";
import type { Target } from "../profile/target.ts";
import type { JudgedCase } from "./cases.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";
import type { RuleCase } from "./rule-case.ts";

/** Whose duties a rule is about. */
export const SIDES = ["receiver", "authorization-server"] as const;

export type Side = (typeof SIDES)[number];

/**
 * When the cases of a rule run:
 * - `probe`: at once, side by side with all others
 * - `state`: after the last write of `probe`. A case that writes runs alone, because writes would disturb what others read
 * - `quiet`: after those, when nothing else is under way but cases that wait
 * - `record`: last, because it judges what the run has seen
 */
export type Phase = "probe" | "state" | "quiet" | "record";

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

/** A rule whose cases state what has to come of them; see `rejects`, `accepts` and `custom`. */
export function defineRuleOfCases(rule: Omit<Rule<JudgedCase>, "probe">): Rule {
  return defineRule<JudgedCase>({ ...rule, probe: (probe, testCase) => testCase.judge(probe) });
}
