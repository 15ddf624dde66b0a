import type { Side } from "../contract/ids.ts";
import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Statistic } from "../probe/answer-statistics.ts";
import type { Evidence, UndecidedCode } from "../probe/finding.ts";
import type { Phrase } from "../probe/phrase.ts";
import type { Facts } from "../profile/facts.ts";
import type { DeploymentName } from "../profile/target.ts";

/** The outcomes of a case, the worst first. */
export const OUTCOMES = [
  "fail",
  "inconclusive",
  "not-provisioned",
  "warn",
  "pass",
  "observed",
  "not-applicable",
] as const;

/** The outcome of a case; docs/results.md says what each means. */
export type Outcome = (typeof OUTCOMES)[number];

/** The verdict of a run; docs/running.md says when each follows. */
export type Verdict = "conformant" | "non-conformant" | "incomplete" | "partial";

/** The sides and operations of the contract that have a judged case. */
export interface Scope {
  readonly sides: readonly Side[];
  readonly operations: readonly OperationId[];
}

/** The number of MUST cases that were judged, and of all MUST cases for the six operations. */
export interface Coverage {
  readonly judged: number;
  readonly total: number;
}

/** The result of one case. */
export interface CaseResult {
  /** `<rule id>/<case id>` */
  readonly id: string;
  readonly rule: string;
  readonly title?: string | undefined;
  readonly operation?: OperationId | undefined;
  /** The client of the authorization server that the case is about. */
  readonly client?: string | undefined;
  readonly level: Level;
  readonly outcome: Outcome;
  readonly reason?: Phrase | undefined;
  /** Why the case was not decided, for programs. */
  readonly code?: UndecidedCode | undefined;
  readonly expected?: Phrase | undefined;
  readonly actual?: Phrase | undefined;
  readonly evidence?: Evidence | undefined;
  /** Id of the requirement that it verifies. Default: the rule's main one. */
  readonly requirement?: string | undefined;
  /** Why a receiver that lets this pass is wrong. */
  readonly why?: string | undefined;
  /** The clause of the contract, RFC section or CVE for `why`. */
  readonly source?: string | undefined;
  /** Two tries of the case had different outcomes. */
  readonly flaky?: boolean | undefined;
  /** Milliseconds waited until something expired or became visible. Default: none. */
  readonly waitedMs?: number | undefined;
  /** The rule whose failure on the same operation is blamed. */
  readonly blamedOn?: string | undefined;
  /** Profile keys that would provide the needs of the case. */
  readonly missing?: readonly string[] | undefined;
  /** Set where exploration found the case, and no rule lists it. */
  readonly explored?: true | undefined;
}

/** Why exploration ended. */
export type ExplorationEnd = "requests" | "time" | "interrupted" | "not possible";

/** What exploration did, after the plan. */
export interface ExplorationNote {
  /** Cases that were drawn, and those of them that the contract decides and whose control was accepted. */
  readonly drawn: number;
  readonly judged: number;
  readonly requests: number;
  /** Violations that it shows: cases of the report. */
  readonly found: number;
  /** Further violations, of a rule and a part of the request that is violated there already. */
  readonly alike: number;
  readonly endedBy: ExplorationEnd;
}

/** A rule as plans and reports show it. */
export interface RuleHead {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** The clause of the contract for the rule's main requirement. */
  readonly clause: string;
  /** Ids in `fixtures/requirements.yaml`. */
  readonly requirements: readonly string[];
}

/** A fault of the set-up rather than of the deployment, and its remedy. */
export interface SetupProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** A fault of the reference receiver in words. */
export interface KnownFault {
  /** The fault's name in `docs/proof.md`. The faults of a library are joined by ` + `. */
  readonly fault: string;
  /** The library that causes these faults together. */
  readonly library?: string | undefined;
  /** The rule whose failures it explains. */
  readonly rule: string;
  /** What a receiver with this fault does: "compares `aud` by prefix". */
  readonly behaves: string;
  /** How implementations get the fault, which says what to look for in the code. */
  readonly look: string;
  /** Where it was reported: an RFC section, CVE or issue. */
  readonly source?: string | undefined;
}

/** A known fault that the failures of a rule resemble. Reports of earlier versions name only those that explain all of them. */
export interface Diagnosis extends KnownFault {
  /** Ids of the violated cases that it explains. */
  readonly explains?: readonly string[] | undefined;
  /** Ids of the cases of the rule that are violated in the same way, and that it does not explain. */
  readonly leaves?: readonly string[] | undefined;
  /** Whether it explains all of them, so that `leaves` is empty. */
  readonly exact?: boolean | undefined;
}

/** A line between accepted and refused requests that a run shows by itself, about what a violated rule is about. */
export interface LineFact {
  readonly rule: string;
  readonly says?: undefined;
  /** Absent where it is the same on every operation. */
  readonly operation?: OperationId | undefined;
  /** What is accepted, and what is refused, as the objects of a sentence. */
  readonly accepts: Phrase;
  readonly refuses: Phrase;
}

/** What all answers of a kind show together, as a sentence without its full stop. */
export interface SaidFact {
  readonly rule: string;
  readonly says: Phrase;
}

/** What a run shows by itself of what its violations are about. */
export type SeenFact = LineFact | SaidFact;

/** What the deployment does where the contract leaves it open. */
export type Observation = Statistic;

/** Cases that a run leaves out, and why. */
export interface Exclusion {
  readonly reason: string;
  readonly cases: number;
}

/** The first event of a run. */
export interface RunStarted {
  readonly type: "run-started";
  readonly suite: {
    readonly name: string;
    readonly version: string;
    readonly requirements: string;
  };
  readonly target: TargetNote;
  readonly seed: number;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** The target as a report shows it. */
export interface TargetNote {
  readonly baseUrl: string;
  /** What the profile calls the deployment. */
  readonly deployment?: DeploymentName | undefined;
  readonly audience: string;
  readonly issuer: string;
  /** The algorithm of good tokens. Absent where tokens are issued. */
  readonly algorithm?: string | undefined;
  readonly readOnly: boolean;
  /**
   * Digest of the rest of the profile, with what the document adds to it. It shows whether two of them differ, and
   * nothing else.
   */
  readonly profile?: string | undefined;
  /** The arguments that named the target: a base URL, `--profile` and a file, or both. */
  readonly told?: readonly string[] | undefined;
  /** The words that start the command as the user did. Absent where npm has installed it. */
  readonly command?: readonly string[] | undefined;
  /** The path of the report, relative to the working directory of the command. */
  readonly report?: string | undefined;
  /** The target was the reference receiver, started for this run. */
  readonly embedded?: boolean | undefined;
  /** The files that describe the target. Present only where a report must point into them. */
  readonly sources?: SourceFiles | undefined;
}

/** A file that describes a deployment. */
export interface SourceFile {
  /** Relative to the working directory, with slashes. */
  readonly file: string;
  /** Line numbers, from 1, where each operation begins, by id; in a profile also `baseUrl`. */
  readonly lines: Readonly<Record<string, number>>;
}

/** The files that describe a deployment. */
export interface SourceFiles {
  readonly profile?: SourceFile | undefined;
  readonly document?: SourceFile | undefined;
}

/** The inputs of a plan, so that the plan can be made again. */
export interface PlanNote {
  readonly rules: string;
  /** The name of the pack whose rules they are. Absent for the contract's. */
  readonly pack?: string | undefined;
  /** Globs that selected rules and cases. Empty: all were selected. */
  readonly patterns: readonly string[];
  /** The cases that were selected by exact name, as a phrase: "what failed last time". */
  readonly only?: string | undefined;
  /** Set where no case of the plan was run, because exploration took its place. */
  readonly exploresOnly?: true | undefined;
  /** What the plan depends on, masked. */
  readonly facts: Facts;
}

/** The plan is made, and nothing has been sent. */
export interface RunPlanned {
  readonly type: "run-planned";
  readonly rules: readonly RuleHead[];
  readonly cases: number;
  /** The ids of the cases, in the order of reports. */
  readonly caseIds: readonly string[];
  readonly excluded: readonly Exclusion[];
  readonly plan: PlanNote;
}

/**
 * An accepted write of the run. A submitted change stays at the deployment; the value of an edit is restored where that is possible,
 * but may stay in its history.
 */
export interface LeftBehind {
  readonly operation: OperationId;
  /** Absent where the request named none. */
  readonly organization?: string | undefined;
  /** The value by which it is found, which no other request has. Absent where the body had none. */
  readonly value?: string | undefined;
}

/** The last event of a run. */
export interface RunFinished {
  readonly type: "run-finished";
  readonly verdict: Verdict;
  /** The verdict and what it covers, as a sentence. */
  readonly verdictText: string;
  /** The reasons why the run covers less than the contract, a phrase each; or none. */
  readonly partialBecause: readonly string[];
  readonly scope: Scope;
  readonly coverage: Coverage;
  readonly setup: readonly SetupProblem[];
  /** What the run shows by itself of what its violations are about. */
  readonly facts: readonly SeenFact[];
  /** Known faults that the failures look like; several where the run cannot tell them apart. */
  readonly diagnoses: readonly Diagnosis[];
  readonly observations: readonly Observation[];
  readonly requests: number;
  /** Accepted writes by operation. */
  readonly writes: Readonly<Partial<Record<OperationId, number>>>;
  readonly leftBehind: readonly LeftBehind[];
  readonly durationMs: number;
  /**
   * Milliseconds of `durationMs` in which no request was under way, and the run waited for time to pass or as long as an answer asked.
   */
  readonly waitedMs: number;
  readonly interrupted: boolean;
  /** Faults of the suite itself. Where there are any, the verdict is worthless. */
  readonly suiteErrors: readonly string[];
  /** Absent where the run did not explore. */
  readonly exploration?: ExplorationNote | undefined;
}

/**
 * The events of a run. Reports and the terminal use nothing else. `run-started` and `run-planned` come first, and `run-finished`
 * last. The results of cases come at the end, in the order of the plan.
 */
export type RunEvent =
  | RunStarted
  | RunPlanned
  | { readonly type: "exchange"; readonly exchange: Exchange }
  /** Progress: the case has run. Its result is known only after its controls are repeated. */
  | { readonly type: "case-ran"; readonly id: string }
  /**
   * A MUST is seen to be violated. What the run sees later may still explain it. Then `case-judged` says that the case proves
   * nothing.
   */
  | { readonly type: "case-failing"; readonly result: CaseResult }
  /** The result of a case, once for each, when nothing can change it any more. */
  | { readonly type: "case-judged"; readonly result: CaseResult }
  | RunFinished;
