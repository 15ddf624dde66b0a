import { LEVELS } from "../contract/levels.ts";
import type { Outcome, Verdict } from "../engine/events.ts";
import { type Ending, exitCode, type Gate, worst } from "../engine/judge.ts";
import { counted } from "../lib/words.ts";
import { verdictBeside } from "../report/baseline.ts";
import { deploymentText } from "../report/layout.ts";
import { casesOf } from "../report/report.ts";
import type { StoredReport } from "../report/stored.ts";
import { verdictOf } from "./child.ts";
import type { FleetRun } from "./fleet-file.ts";

export interface Deployment {
  readonly run: FleetRun;
  /** The content of its report; absent without a report. */
  readonly seen?: Seen | undefined;
}

interface Seen {
  readonly verdict: Verdict;
  readonly baseUrl: string;
  /** The name in the profile; empty when it has none. */
  readonly title: string;
  /** The name alone, which stays while the version changes. */
  readonly name: string;
  readonly startedAt: string;
  readonly failed: number;
  /** Version of the suite, and of its rule set. */
  readonly suite: string;
  /** The worst outcome of each rule, in the order of the report. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** What decides the exit code of its run. */
  readonly ending: Ending;
}

/**
 * Extracts what is kept of a report.
 * @throws SuiteError when the report has a verdict that this version does not know
 */
export function seenIn(report: StoredReport): Seen {
  const { target, suite, rules, baseline, interrupted = false, suiteErrors = [] } = report;
  const judged = rules.map(({ cases }) => ({
    cases: cases.map((one) => ({
      ...one,
      level: LEVELS.find((level) => level === one.level) ?? ("MUST" as const),
    })),
  }));
  const verdict = verdictOf(report);
  const outcomes = casesOf(report).map(({ outcome }) => outcome);
  return {
    verdict,
    baseUrl: target.baseUrl,
    title: deploymentText(target.deployment),
    name: target.deployment?.name ?? "",
    startedAt: report.startedAt,
    failed: outcomes.filter((outcome) => outcome === "fail").length,
    suite: `${suite.version}, rule set ${suite.requirements}`,
    outcomes: new Map(
      rules.map(({ id, cases }) => [id, worst(cases.map(({ outcome }) => outcome))]),
    ),
    ending: {
      verdict,
      besideBaseline: baseline && verdictBeside({ rules: judged }, baseline),
      interrupted,
      suiteErrors,
      warned: outcomes.includes("warn"),
    },
  };
}

/** Exit codes of runs, the worst first. */
const WORST_FIRST = [130, 2, 1, 3] as const;

/**
 * The worst exit code of all runs, older ones of a deployment included: 130 for a run that did not finish, 2 for one without a verdict, else the
 * code that the gate gives it, with its baseline if it has one.
 */
export function worstExitCode(deployments: readonly Deployment[], gate: Gate): number {
  const codes = new Set(deployments.map((one) => exitCodeOf(one, gate)));
  return WORST_FIRST.find((code) => codes.has(code)) ?? 0;
}

function exitCodeOf({ run: { verdict, error }, seen }: Deployment, gate: Gate): number {
  if (seen?.ending.interrupted) return exitCode(seen.ending);
  if (error !== undefined) return 2;
  return exitCode(seen?.ending ?? unreported(verdict), gate);
}

/** The ending of a run of which there is no report: it was interrupted where it has no verdict. */
function unreported(verdict: Verdict | undefined): Ending {
  return {
    verdict: verdict ?? "incomplete",
    interrupted: verdict === undefined,
    suiteErrors: [],
  };
}

/** The possible results of a run, the worst first. */
export const RESULTS: readonly Result[] = [
  "unfinished",
  "error",
  "non-conformant",
  "incomplete",
  "partial",
  "conformant",
];

/** A verdict, an error instead of a verdict, or a run that did not finish. */
export type Result = Verdict | "error" | "unfinished";

export function resultKind({ verdict, error }: Pick<FleetRun, "verdict" | "error">): Result {
  return verdict ?? (error === undefined ? "unfinished" : "error");
}

/** `20 runs: 2 error, 3 non-conformant, 15 conformant`. */
export function countsText(runs: readonly Pick<FleetRun, "verdict" | "error">[]): string {
  const kinds = runs.map(resultKind);
  const parts = RESULTS.flatMap((result) => {
    const count = kinds.filter((kind) => kind === result).length;
    return count > 0 ? [`${count} ${result}`] : [];
  });
  return `${counted(runs.length, "run")}: ${parts.join(", ") || "none"}`;
}
