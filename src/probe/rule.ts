import type { Side } from "../contract/ids.ts";
import type { Level } from "../contract/levels.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Mutation } from "../mutations/mutation.ts";
import type { Facts } from "../profile/facts.ts";
import type { Need } from "../profile/need.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";

/**
 * When a case runs:
 * - `probe`: first, together with all others
 * - `waiting`: at once, beside all phases except the last two, because the case waits for seconds; a case that writes runs in `probe`
 * - `state`: after the last write of `probe`; a case that writes runs alone, because its writes would
 *   disturb what others read
 * - `quiet`: after those, when nothing else is under way except cases that wait
 * - `trouble`: when all of those have ended, cases that wait too; one case after another, with nothing else under way. Its cases find out why
 *   good requests had trouble, and send nothing where they had none
 * - `record`: last, because it judges everything that the run has seen
 */
export type Phase = "probe" | "waiting" | "state" | "quiet" | "trouble" | "record";

/** The good request that a case differs from. */
export interface CaseControl {
  /** Whether its token must be bound, or must be unbound. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** Whether it and the case are sent as an ordinary client sends them; see `withoutMarks`. Default: false. */
  readonly unmarked?: boolean | undefined;
  /**
   * - `decides`: the outcome follows from the answer to the case's own request, between an accepted control before and after.
   *   Then `verify` can judge it again from the report.
   * - `before`: it is not sent again after the case, which judges an answer by itself.
   *
   * Default: it is sent before and after, because the finding rests on it.
   */
  readonly bracket?: "decides" | "before" | undefined;
}

/** Why a violation is one. */
export interface Grounds {
  /** What is wrong, or what would follow, as a clause without a full stop. */
  readonly why?: string | undefined;
  /** Where that is said: a clause of the contract, an RFC section, a CVE, an issue. */
  readonly source?: string | undefined;
}

/** What a case of either side is, without the function that judges it. */
export interface CaseBase {
  /** Unique in the rule; `<what>@<operation>` by convention. */
  readonly id: string;
  /** What the case tries, as a phrase. Default: the title of the rule. */
  readonly title?: string | undefined;
  /** Default: the rule's. */
  readonly level?: Level | undefined;
  /** Id of the sentence that the case verifies. Default: the main sentence of the rule. */
  readonly requirement?: string | undefined;
  /** Why a deployment that violates this is wrong. */
  readonly grounds?: Grounds | undefined;
  /** Decides the control, the lane in which the case runs, and whether it writes. */
  readonly operation?: OperationId | undefined;
  /**
   * What it needs beside what every case of its operation needs: an organization, a change, a body, consent to
   * writes. If neither the profile nor the deployment provides it, the case is not provisioned and sends nothing.
   */
  readonly needs?: readonly Need[] | undefined;
  /** Why the case does not apply, if that is known before the run. */
  readonly inapplicable?: string | undefined;
  /** About how many requests it sends. Default: one; in the phase `record` none without a mutation. */
  readonly sends?: number | undefined;
  /** What it depends on beside what its rule depends on; see `Rule.dependsOn`. */
  readonly dependsOn?: readonly string[] | undefined;
  /** When it runs. Default: the rule's phase. */
  readonly phase?: Phase | undefined;
  /** Set where exploration made it, and no rule lists it. */
  readonly explored?: true | undefined;
}

/** What a case about the receiver is. */
export interface CaseData extends CaseBase {
  /** The mutation that it makes to a good request, if it does just that, or a list of those that are part of what it does. */
  readonly mutation?: Mutation | readonly Mutation[] | undefined;
  readonly control?: CaseControl | undefined;
  /**
   * - `alone`: its requests may write.
   * - `beside`: they may write beside other cases. They must be rejected, and the case is judged by its own answers, so that
   *   concurrent writes disturb neither it nor others. Where it has to read back what was written, it returns
   *   `UNDECIDED_BESIDE_WRITES` and runs again, alone. In the phase `probe` it runs beside all such cases, in the phase `state`
   *   beside those of its rule.
   * - `of`: it judges what a write of this operation left. Without such a write, or without consent to writes, it is not judged.
   *
   * Default: `alone` where the operation writes, and otherwise it does not write.
   */
  readonly writes?: "alone" | "beside" | { readonly of: OperationId } | undefined;
}

/** What a case about the authorization server is. */
export interface ServerCaseData extends CaseBase {
  /** The endpoint that it is about, such as `token`. */
  readonly endpoint?: string | undefined;
  /** The name of the client in the profile that it is about. */
  readonly client?: string | undefined;
  /**
   * How often consent has to be given. A refused request may end the grant; then a program gives consent again, up to `most`
   * times. Default: never.
   */
  readonly consents?: number | { readonly least: number; readonly most: number } | undefined;
}

/** One thing that a rule tries; reported as `<rule id>/<id>`. `P` is the probe of its side. */
export interface AnyCase<P = unknown> extends CaseData, ServerCaseData {
  /**
   * Runs it. It only observes. The engine handles controls, repetition, level and blame.
   * It is a method, so that the engine can hold the cases of all sides in one list.
   */
  judge(probe: P): Promise<Finding>;
}

/** One thing that a rule about the receiver tries. */
export type RuleCase = CaseData & Pick<AnyCase<Probe>, "judge">;

/** The mutations that a case makes, none, one or several. */
export function mutationsOf({ mutation }: CaseData): readonly Mutation[] {
  return [mutation ?? []].flat();
}

/** The mutation of a case that makes exactly one. */
export function onlyMutation({ mutation }: CaseData): Mutation | undefined {
  return mutation && "name" in mutation ? mutation : undefined;
}

/** Whether a case sends a PATCH or POST, even one to be rejected: who accepts it writes. */
export function mayWrite({ operation, writes }: CaseData): boolean {
  return typeof writes === "string" || (operation !== undefined && OPERATIONS[operation].writes);
}

/** One requirement of the contract that can be tested over HTTP. `P` is the probe of its side. */
export interface Rule<P = unknown> {
  /** The public id. It equals the file's name and is never renamed. */
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** The name of the pack that it belongs to; `definePack` sets it. Default: it is the contract's. */
  readonly pack?: string;
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

/** The lists of rules that the build has. */
const built = new WeakSet<readonly Rule[]>();

/** Returns the suite's own list of rules, and remembers that it is; see `isBuilt`. */
export function ownRules(rules: readonly Rule[]): readonly Rule[] {
  built.add(rules);
  return rules;
}

/** Whether a list of rules is the suite's own, so that a build has written down what follows from it. */
export function isBuilt(rules: readonly Rule[]): boolean {
  return built.has(rules);
}

/** Checks the literal of a rule, whose cases get the probe of its side, and returns it as the engine takes it. */
export function defineRule<P = Probe>(rule: Rule<P>): Rule {
  return rule;
}
