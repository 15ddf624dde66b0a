import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type {
  CaseResult,
  Exclusion,
  Outcome,
  Diagnosis,
  PlanNote,
  RuleHead,
  RunFinished,
  RunStarted,
  SetupProblem,
  Verdict,
} from "../engine/events.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Fact } from "../probe/phrase.ts";

/** Every level, the most binding first; the order of reports. */
export const LEVELS: readonly Level[] = ["MUST", "SHOULD", "OBSERVE"];

/** What `report.json` holds; `fixtures/report.schema.json` is its JSON Schema. Every other format is made from it. */
export interface Report {
  readonly schemaVersion: "2.0";
  readonly verdict: Verdict;
  readonly verdictText: string;
  /** True when the run did not cover the whole contract, whatever the verdict. */
  readonly partial: boolean;
  readonly partialBecause: readonly string[];
  readonly scope: RunFinished["scope"];
  readonly coverage: RunFinished["coverage"];
  readonly suite: RunStarted["suite"];
  readonly target: RunStarted["target"];
  readonly seed: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** How long of that the run did nothing but wait for time to pass; absent from reports of older versions. */
  readonly waitedMs?: number | undefined;
  readonly requests: number;
  /** Accepted writes by operation. */
  readonly writes: Readonly<Partial<Record<OperationId, number>>>;
  readonly interrupted: boolean;
  /** Faults of the suite itself; with any, the verdict is worth nothing. */
  readonly suiteErrors: readonly string[];
  readonly setup: readonly SetupProblem[];
  readonly diagnoses: readonly Diagnosis[];
  /** What a baseline of known failures says of this run; absent where none was given. */
  readonly baseline?: BaselineNote | undefined;
  /**
   * MUST cases that failed in an earlier run, though not whenever they were tried: a run of `--failed`
   * hands them on to the next one, until a whole run has passed them. Absent where there is none.
   */
  readonly carried?: readonly string[] | undefined;
  /** What the cases follow from. */
  readonly plan: PlanNote;
  readonly excluded: readonly Exclusion[];
  /** Cases by level and outcome, those that are zero too. */
  readonly counts: Readonly<Record<Level, Readonly<Record<Outcome, number>>>>;
  readonly rules: readonly ReportRule[];
  readonly observations: readonly ReportObservation[];
  /** The exchanges that evidence names, by id, in the order in which it names them. */
  readonly exchanges: Readonly<Record<string, Exchange>>;
}

export interface ReportRule extends RuleHead {
  /** The worst of its cases. */
  readonly outcome: Outcome;
  readonly cases: readonly ReportCase[];
}

/** Something that the contract leaves open, and what was seen of it. */
export interface ReportObservation {
  readonly id: string;
  readonly title: string;
  readonly value: string;
  /** The typed values in it; see `Fact`. */
  readonly facts?: readonly Fact[] | undefined;
}

/** Typed values of what a case came to; see `Fact`. Absent where a sentence has none. */
export interface CaseFacts {
  readonly reason?: readonly Fact[] | undefined;
  readonly expected?: readonly Fact[] | undefined;
  readonly actual?: readonly Fact[] | undefined;
}

export interface ReportCase extends Omit<
  CaseResult,
  "rule" | "requirement" | "reason" | "expected" | "actual"
> {
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  /** The typed values in those three, in the order in which they stand there. */
  readonly facts?: CaseFacts | undefined;
  /** The sentence that the case verifies, and where it stands. */
  readonly requirement?: string | undefined;
  readonly clause?: string | undefined;
}

/** The failures of a run beside those that are known. */
export interface BaselineNote {
  /** The file, as it was named. */
  readonly file: string;
  /** Cases that failed and may, for now; of a `flaky` entry one whose two tries disagreed too. */
  readonly known: readonly {
    readonly case: string;
    readonly reason: string;
    /** `YYYY-MM-DD`, the last day on which it may fail. */
    readonly expires?: string | undefined;
  }[];
  /** Failures that the baseline does not know. */
  readonly unknown: readonly string[];
  /** Entries that must go from the baseline, and why. */
  readonly stale: readonly { readonly case: string; readonly why: string }[];
  /** How many cases are inconclusive because a known failure takes the blame; absent where there is none. */
  readonly blamed?: number | undefined;
  /** How many entries this run could say nothing about; absent where there is none. */
  readonly unjudged?: number | undefined;
}
