import type { Level } from "../contract/levels.ts";
import type { OperationId } from "../contract/operations.ts";
import type { PackRequirement } from "../contract/requirements.ts";
import type {
  LineFact,
  SaidFact,
  CaseResult,
  Exclusion,
  ExplorationNote,
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

/** The content of `report.json`; `fixtures/report.schema.json` is its JSON Schema. All other formats are made from it. */
export interface Report {
  readonly schemaVersion: "2.1";
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
  /** The time in which the run only waited; absent from reports of older versions. */
  readonly waitedMs?: number | undefined;
  readonly requests: number;
  /** Accepted writes by operation. */
  readonly writes: Readonly<Partial<Record<OperationId, number>>>;
  /** The accepted writes one by one. Absent from reports of older versions. */
  readonly leftBehind?: RunFinished["leftBehind"] | undefined;
  readonly interrupted: boolean;
  /** Faults of the suite itself. If there are any, the verdict is worth nothing. */
  readonly suiteErrors: readonly string[];
  readonly setup: readonly SetupProblem[];
  /** The lines between accepted and refused requests; absent from reports of older versions. */
  readonly facts?: readonly ReportLine[] | undefined;
  /** What answers of the run show together, a sentence each. Absent where there is none. */
  readonly statements?: readonly ReportStatement[] | undefined;
  readonly diagnoses: readonly Diagnosis[];
  /** The comparison with a baseline of known failures; absent without a baseline. */
  readonly baseline?: BaselineNote | undefined;
  /**
   * MUST cases that failed in an earlier run, but not in every try. Runs of a part pass them on until a whole
   * run has passed them. Absent when there are none.
   */
  readonly carried?: readonly string[] | undefined;
  /**
   * After the run of a part: what this run and those before it have left to do. Absent after a whole run, whose
   * own cases say it.
   */
  readonly remaining?: readonly Remaining[] | undefined;
  /** What exploration did after the plan. Absent where the run did not explore. */
  readonly exploration?: ExplorationNote | undefined;
  /** The data that the cases follow from. */
  readonly plan: PlanNote;
  readonly excluded: readonly Exclusion[];
  /** Number of cases by level and outcome, zeros included. */
  readonly counts: Readonly<Record<Level, Readonly<Record<Outcome, number>>>>;
  readonly rules: readonly ReportRule[];
  readonly observations: readonly ReportObservation[];
  /**
   * By id: the exchanges that evidence refers to, in the order in which it does, then the others of cases and shared set-ups
   * that `verify` judges again by.
   */
  readonly exchanges: Readonly<Record<string, Exchange>>;
  /** What the packs of the run found, each with a verdict of its own. Absent without one. */
  readonly packs?: readonly PackReport[] | undefined;
}

/** What a report says once, for the contract and all packs. */
type OfAll =
  | "schemaVersion"
  | "suite"
  | "target"
  | "seed"
  | "carried"
  | "remaining"
  | "exploration"
  | "packs";

/** What a pack found: the members of a report that are about its own rules. */
export interface PackReport extends Omit<Report, OfAll> {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  /** The requirements that its rules name, so that who has not the pack can read the report. */
  readonly requirements: readonly PackRequirement[];
}

/** A pack's part as a report of its own, which every format can show. */
export function reportOfPack(report: Report, pack: PackReport): Report {
  const { id: _id, version: _version, title: _title, requirements: _named, ...own } = pack;
  const { schemaVersion, suite, target, seed } = report;
  return { schemaVersion, suite, target, seed, ...own };
}

/** The report, and those of its packs. */
export function withPacks(report: Report): readonly Report[] {
  return [report, ...(report.packs ?? []).map((pack) => reportOfPack(report, pack))];
}

/** A rule of the report, with its cases. */
export interface ReportRule extends RuleHead {
  /** The worst of its cases. */
  readonly outcome: Outcome;
  readonly cases: readonly ReportCase[];
}

/** A line between accepted and refused requests, with its phrases as text. */
export interface ReportLine extends Omit<LineFact, "says" | "accepts" | "refuses"> {
  readonly accepts: string;
  readonly refuses: string;
}

/** What answers of a run show together, as a sentence without its full stop. */
export interface ReportStatement extends Omit<SaidFact, "says"> {
  readonly says: string;
}

/** What was seen of something that the contract leaves open. */
export interface ReportObservation {
  readonly id: string;
  readonly title: string;
  readonly value: string;
  /** The typed values in it; see `Fact`. */
  readonly facts?: readonly Fact[] | undefined;
}

/** Typed values of a case's result; see `Fact`. Absent when a sentence has none. */
export interface CaseFacts {
  readonly reason?: readonly Fact[] | undefined;
  readonly expected?: readonly Fact[] | undefined;
  readonly actual?: readonly Fact[] | undefined;
}

/** The result of a case, with its sentences as text. */
export interface ReportCase extends Omit<
  CaseResult,
  "rule" | "requirement" | "reason" | "expected" | "actual"
> {
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  /** The typed values in those three sentences, in the order of their appearance. */
  readonly facts?: CaseFacts | undefined;
  /** The requirement that the case verifies, and its clause. */
  readonly requirement?: string | undefined;
  readonly clause?: string | undefined;
}

/** A MUST case that runs have left to do: it failed or was inconclusive, and has not passed since. */
export interface Remaining {
  readonly case: string;
  /** Cases whose answers it was judged by, which must run with it. */
  readonly after?: readonly string[] | undefined;
}

/** The failures of a run compared with the known ones. */
export interface BaselineNote {
  /** The file, as the user named it. */
  readonly file: string;
  /** Cases that failed and may fail for now, or, where `flaky`, whose two tries disagreed. */
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
  /** Number of cases that are inconclusive for a known failure; absent when there are none. */
  readonly blamed?: number | undefined;
  /** Number of entries that this run could not judge; absent when there are none. */
  readonly unjudged?: number | undefined;
}

/** One format of the report. */
export interface Reporter {
  /** Name of the file in the folder of reports. */
  readonly file: string;
  render(report: Report): string;
}

/** The cases of all rules of a report. */
export function casesOf<Case>({
  rules,
}: {
  readonly rules: readonly { readonly cases: readonly Case[] }[];
}): Case[] {
  return rules.flatMap(({ cases }) => cases);
}
