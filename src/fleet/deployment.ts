import { LEVELS } from "../contract/levels.ts";
import type { Outcome, Verdict } from "../engine/events.ts";
import {
  type Ending,
  exitCode,
  type ExitCode,
  type Gate,
  worst,
  worstExitCode,
} from "../engine/judge.ts";
import { counted } from "../lib/words.ts";
import { verdictBeside } from "../report/baseline.ts";
import { deploymentText } from "../report/layout.ts";
import { casesOf } from "../report/report.ts";
import { type StoredReport, storedWithPacks } from "../report/stored.ts";
import { printable } from "../report/untrusted.ts";
import { packsOf, verdictOf } from "./child.ts";
import type { FleetRun, PackResult } from "./fleet-file.ts";

export interface Deployment {
  readonly run: FleetRun;
  /** The content of its report; absent without a report. */
  readonly seen?: Seen | undefined;
}

interface Seen {
  readonly verdict: Verdict;
  /** The verdicts on packs; absent without any. */
  readonly packs?: readonly PackResult[] | undefined;
  readonly baseUrl: string;
  /** The name in the profile; empty when it has none. */
  readonly title: string;
  /** The name alone, which stays while the version changes. */
  readonly name: string;
  readonly startedAt: string;
  /** Cases of the contract that failed. */
  readonly failed: number;
  /** Version of the suite, and of its rule set. */
  readonly suite: string;
  /** The worst outcome of each rule, those of packs last, in the order of the report. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** What decides the exit code of its run: the verdict on the contract, then those of packs. */
  readonly endings: readonly Ending[];
}

/**
 * Extracts what is kept of a report.
 * @throws SuiteError when the report has a verdict that this version does not know
 */
export function seenIn(report: StoredReport): Seen {
  const { target, suite } = report;
  const verdict = verdictOf(report);
  const outcomes = casesOf(report).map(({ outcome }) => outcome);
  return {
    verdict,
    packs: packsOf(report),
    baseUrl: target.baseUrl,
    title: deploymentText(target.deployment),
    name: target.deployment?.name ?? "",
    startedAt: report.startedAt,
    failed: outcomes.filter((outcome) => outcome === "fail").length,
    suite: `${suite.version}, rule set ${suite.requirements}`,
    outcomes: new Map(
      storedWithPacks(report)
        .flatMap(({ rules }) => rules)
        .map(({ id, cases }) => [id, worst(cases.map(({ outcome }) => outcome))]),
    ),
    endings: storedWithPacks(report).map(endingOf),
  };
}

/** What decides an exit code, of a report or of a pack's part of it. */
function endingOf(report: StoredReport): Ending {
  const { rules, baseline, interrupted = false, suiteErrors = [] } = report;
  const judged = rules.map(({ cases }) => ({
    cases: cases.map((one) => ({
      ...one,
      level: LEVELS.find((level) => level === one.level) ?? ("MUST" as const),
    })),
  }));
  return {
    verdict: verdictOf(report),
    besideBaseline: baseline && verdictBeside({ rules: judged }, baseline),
    interrupted,
    suiteErrors,
    warned: casesOf(report).some(({ outcome }) => outcome === "warn"),
  };
}

/**
 * The worst exit code of all runs, older ones of a deployment included: 130 for a run that did not finish, 2 for one without a verdict, else the
 * code that the gate gives it, with its baseline if it has one.
 */
export function exitCodeOfAll(deployments: readonly Deployment[], gate: Gate): ExitCode {
  return worstExitCode(deployments.map((one) => exitCodeOf(one, gate)));
}

function exitCodeOf({ run: { verdict, error }, seen }: Deployment, gate: Gate): ExitCode {
  const interrupted = seen?.endings.find((ending) => ending.interrupted);
  if (interrupted) return exitCode(interrupted);
  if (error !== undefined) return 2;
  const endings = seen?.endings ?? [unreported(verdict)];
  return worstExitCode(endings.map((ending) => exitCode(ending, gate)));
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

/** `20 runs: 2 error, 3 non-conformant, 15 conformant`, then a line for each pack: `CommonGrants 0.4: 8 conformant`. */
export function countLines(runs: readonly FleetRun[]): string[] {
  return [
    `${counted(runs.length, "run")}: ${countsText(runs.map(resultKind)) || "none"}`,
    ...packTitles(runs).map((title) => {
      const found = runs.flatMap(({ packs = [] }) => packs.filter((pack) => pack.title === title));
      return `${printable(title)}: ${countsText(found.map(({ verdict }) => verdict))}`;
    }),
  ];
}

/** The packs of all runs, each once. */
export function packTitles(runs: readonly FleetRun[]): string[] {
  return [...new Set(runs.flatMap(({ packs = [] }) => packs.map(({ title }) => title)))].toSorted();
}

/** `conformant; CommonGrants 0.4: non-conformant`, or why there is no verdict. */
export function resultText({ verdict, error = "", packs = [] }: FleetRun): string {
  const found = packs.map((pack) => `${pack.title}: ${pack.verdict}`);
  return printable([verdict ?? error, ...found].join("; "), 300);
}

/** `2 error, 15 conformant`. */
function countsText(results: readonly Result[]): string {
  const parts = RESULTS.flatMap((result) => {
    const count = results.filter((one) => one === result).length;
    return count > 0 ? [`${count} ${result}`] : [];
  });
  return parts.join(", ");
}
