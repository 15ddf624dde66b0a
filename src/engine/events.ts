import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Evidence, UndecidedCode } from "../probe/finding.ts";
import type { Phrase } from "../probe/phrase.ts";
import type { Side } from "../probe/rule.ts";
import type { DeploymentName } from "../profile/target.ts";
import type { PlannedTarget } from "./planned-target.ts";

/** What became of a case, the worst first. */
export const OUTCOMES = [
  "fail",
  "inconclusive",
  "not-provisioned",
  "warn",
  "pass",
  "observed",
  "not-applicable",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

export type Verdict = "conformant" | "non-conformant" | "incomplete" | "partial";

/** Which sides of the contract, and which of its operations, had a case that was judged. */
export interface Scope {
  readonly sides: readonly Side[];
  readonly operations: readonly OperationId[];
}

/** How many MUST cases were judged, of all that there are for the six operations. */
export interface Coverage {
  readonly judged: number;
  readonly total: number;
}

export interface CaseResult {
  /** `<rule id>/<case id>` */
  readonly id: string;
  readonly rule: string;
  readonly title?: string | undefined;
  readonly operation?: OperationId | undefined;
  /** The client of the authorization server that it is about. */
  readonly client?: string | undefined;
  readonly level: Level;
  readonly outcome: Outcome;
  readonly reason?: Phrase | undefined;
  /** Why it came to nothing, for programs. */
  readonly code?: UndecidedCode | undefined;
  readonly expected?: Phrase | undefined;
  readonly actual?: Phrase | undefined;
  readonly evidence?: Evidence | undefined;
  /** Id of the sentence that it verifies. Default: the rule's main one. */
  readonly requirement?: string | undefined;
  /** Why a receiver that lets this pass is wrong. */
  readonly why?: string | undefined;
  /** A clause of the contract, an RFC section or a CVE that says so. */
  readonly source?: string | undefined;
  /** Two tries of the same case disagreed. */
  readonly flaky?: boolean | undefined;
  /** How long it waited for time to pass, in milliseconds: until something expired, or showed. Default: not at all. */
  readonly waitedMs?: number | undefined;
  /** The rule whose failure on the same operation takes the blame. */
  readonly blamedOn?: string | undefined;
  /** Profile keys that would provide what the case needs. */
  readonly missing?: readonly string[] | undefined;
}

export interface RuleHead {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** Where in the contract the rule's main requirement stands. */
  readonly clause: string;
  /** Ids in `fixtures/requirements.yaml`. */
  readonly requirements: readonly string[];
}

/** What is wrong with the set-up rather than with the deployment, and what to do about it. */
export interface SetupProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** A known fault whose signature the failures of a run fit. */
export interface Diagnosis {
  /** The fault's name, as in `docs/proof.md`; names of several joined by ` + ` where a library has them together. */
  readonly fault: string;
  /** The library that has them. */
  readonly library?: string | undefined;
  /** The rule whose failures it explains. */
  readonly rule: string;
  /** What a receiver with this fault does: "compares `aud` by prefix". */
  readonly behaves: string;
  /** How implementations come to have it, and so what to look for in the code. */
  readonly look: string;
  /** Where it happened to somebody: an RFC section, CVE or issue. */
  readonly source?: string | undefined;
}

/** What the contract leaves open and the deployment does. */
export interface Observation {
  readonly id: string;
  readonly title: string;
  readonly value: Phrase;
}

export interface Exclusion {
  readonly reason: string;
  readonly cases: number;
}

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

/** What a report tells of the target. */
export interface TargetNote {
  readonly baseUrl: string;
  /** What the profile calls the deployment. */
  readonly deployment?: DeploymentName | undefined;
  readonly audience: string;
  readonly issuer: string;
  /** What good tokens are signed with; absent where others issue them. */
  readonly algorithm?: string | undefined;
  readonly readOnly: boolean;
  /** Digest of what else profile and document say: it differs where they do, and tells nothing else. */
  readonly profile?: string | undefined;
  /** Arguments by which the command line named it: a base URL, `--profile` and a file, or both. */
  readonly told?: readonly string[] | undefined;
  /** It was the reference receiver, started for the run and gone with it. */
  readonly embedded?: boolean | undefined;
  /** The files that describe it; only where a report is to be located in them. */
  readonly sources?: SourceFiles | undefined;
}

/** A file that describes a deployment. */
export interface SourceFile {
  /** Relative to the working directory, with slashes. */
  readonly file: string;
  /** Lines, from 1, at which the operations begin, by id, and in a profile `baseUrl`. */
  readonly lines: Readonly<Record<string, number>>;
}

/** The files that describe a deployment. */
export interface SourceFiles {
  readonly profile?: SourceFile | undefined;
  /** The OpenAPI document. */
  readonly document?: SourceFile | undefined;
}

/** What the cases of a run follow from, so that the plan can be made again. */
export interface PlanNote {
  /** Digest of the rules that it was made of. */
  readonly rules: string;
  /** Globs by which rules and cases were selected; empty: all were. */
  readonly patterns: readonly string[];
  /** Which cases were named to the letter, as a phrase: "what failed last time". */
  readonly only?: string | undefined;
  readonly target: PlannedTarget;
}

export interface RunPlanned {
  readonly type: "run-planned";
  readonly rules: readonly RuleHead[];
  readonly cases: number;
  readonly excluded: readonly Exclusion[];
  readonly plan: PlanNote;
}

export interface RunFinished {
  readonly type: "run-finished";
  readonly verdict: Verdict;
  /** The verdict in a sentence, with what it covers. */
  readonly verdictText: string;
  /** What was left out of the contract, one phrase a reason; empty when nothing was. */
  readonly partialBecause: readonly string[];
  readonly scope: Scope;
  readonly coverage: Coverage;
  readonly setup: readonly SetupProblem[];
  /** Known faults that the failures look like; of one rule several where they cannot be told apart. */
  readonly diagnoses: readonly Diagnosis[];
  readonly observations: readonly Observation[];
  readonly requests: number;
  /** Accepted writes by operation. */
  readonly writes: Readonly<Partial<Record<OperationId, number>>>;
  readonly durationMs: number;
  /** How long of that nothing was under way, and cases waited for time to pass, in milliseconds. */
  readonly waitedMs: number;
  readonly interrupted: boolean;
  /** Faults of the suite itself; the run is then worth nothing as a verdict. */
  readonly suiteErrors: readonly string[];
}

/** What happens in a run, in this order; reports and the terminal know nothing else of it. */
export type RunEvent =
  | RunStarted
  | RunPlanned
  | { readonly type: "exchange"; readonly exchange: Exchange }
  /** Progress: the case ran; what it amounts to is not known before its controls are repeated. */
  | { readonly type: "case-ran"; readonly id: string }
  | { readonly type: "case-judged"; readonly result: CaseResult }
  | RunFinished;
