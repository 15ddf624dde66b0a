import { LEVELS } from "../contract/levels.ts";
import type { Outcome } from "../engine/events.ts";
import { exitCode, worst } from "../engine/judge.ts";
import { verdictBeside } from "../report/baseline.ts";
import { deploymentText } from "../report/layout.ts";
import type { StoredReport } from "../report/stored.ts";
import { type FleetRun } from "./fleet-file.ts";
import { verdictOf } from "./result.ts";

/** The part of a run's report that is kept in memory, because reports and fleets are large. */
export interface Deployment {
  readonly run: FleetRun;
  /** The content of its report; absent without a report. */
  readonly seen?: Seen | undefined;
}

/** What a report says about a deployment. */
export interface Seen {
  readonly baseUrl: string;
  /** The name in the profile; empty when it has none. */
  readonly title: string;
  /** The name alone, which stays while the version changes. */
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Number of cases that failed. */
  readonly failed: number;
  /** Version of the suite, and of its rule set. */
  readonly suite: string;
  /** The worst outcome of each rule, in the order of the report. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The exit code of `run`, without `--accept-incomplete`. */
  readonly exitCode: number;
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
  const own = verdictOf(report);
  const verdict = baseline ? verdictBeside({ rules: judged }, baseline) : own;
  return {
    baseUrl: target.baseUrl,
    title: deploymentText(target.deployment),
    name: target.deployment?.name ?? "",
    startedAt: report.startedAt,
    failed: rules.flatMap(({ cases }) => cases).filter(({ outcome }) => outcome === "fail").length,
    suite: `${suite.version}, rule set ${suite.requirements}`,
    outcomes: new Map(
      rules.map(({ id, cases }) => [id, worst(cases.map(({ outcome }) => outcome))]),
    ),
    exitCode: exitCode({ verdict, interrupted, suiteErrors }),
  };
}

/** Exit codes of runs, the worst first. */
const WORST_FIRST = [130, 2, 1, 3] as const;

/**
 * The worst exit code of all runs, older ones of a deployment included: 130 for a run that did not finish, 2 for one without a verdict, else the
 * code of its verdict, with its baseline if it has one.
 * @param acceptIncomplete whether 3 counts as 0
 */
export function worstExitCode(
  deployments: readonly Deployment[],
  acceptIncomplete: boolean,
): number {
  const codes = new Set(deployments.map(exitCodeOf));
  const bad = WORST_FIRST.find((code) => codes.has(code)) ?? 0;
  return bad === 3 && acceptIncomplete ? 0 : bad;
}

function exitCodeOf({ run: { verdict, error }, seen }: Deployment): number {
  if (seen?.exitCode === 130) return 130;
  if (error !== undefined) return 2;
  if (verdict === undefined) return 130;
  if (seen) return seen.exitCode;
  return exitCode({ verdict, interrupted: false, suiteErrors: [] });
}
