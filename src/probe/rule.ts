import type { Side } from "../contract/ids.ts";
import type { Level } from "../contract/levels.ts";
import type { Facts } from "../profile/facts.ts";
import type { Probe } from "./probe.ts";
import type { AnyCase, Phase } from "./rule-case.ts";

/** One requirement of the contract that can be tested over HTTP. `P` is the probe of its side. */
export interface Rule<P = unknown> {
  /** The public id. It equals the file's name and is never renamed. */
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** The side that it is about, whose probe its cases get. Default: the receiver; see `sideOf`. */
  readonly side?: Side;
  /**
   * Ids of the requirements in `fixtures/requirements.yaml` that it verifies. The first one is the
   * contract's and the rule's purpose; reports name it first. A case may name another one. Only rules
   * from outside the suite have none. A rule of level OBSERVE names the sentence about the behaviour
   * that it observes. The sentence that leaves the question open is not here; its `observedBy` names
   * the rule.
   */
  readonly verifies?: readonly [main: string, ...others: string[]];
  /** Whether its violations mean that requests get one another's answers; see `blameCrossing`. Default: false. */
  readonly crossing?: boolean;
  /** When its cases run. Default: `probe`. */
  readonly phase?: Phase;
  /**
   * Rules, or cases `<rule>/<case>`, whose failure on an operation is blamed instead of this rule's
   * there. A case in full, `authorization-server.<rule>/<case>@<client>`, is blamed for other clients too.
   */
  readonly dependsOn?: readonly string[];
  /**
   * The cases for a deployment of which these facts are known, in order. The function is pure, so that a run can be planned before
   * anything is sent.
   */
  cases(facts: Facts): readonly AnyCase<P>[];
}

/** The side that a rule is about, the default included. */
export function sideOf({ side = "receiver" }: Pick<Rule, "side">): Side {
  return side;
}

/** Checks the literal of a rule, whose cases get the probe of its side, and returns it as the engine takes it. */
export function defineRule<P = Probe>(rule: Rule<P>): Rule {
  return rule;
}
