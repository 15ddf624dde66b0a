import { existsSync } from "node:fs";
import { join } from "node:path";

import { exitCode } from "../../../engine/judge.ts";
import type { NamedCases } from "../../../engine/plan.ts";
import { counted } from "../../../lib/counted.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { readReport } from "../../../report/read-report.ts";
import type { StoredCase, StoredReport } from "../../../report/stored.ts";
import { printable } from "../../../report/untrusted.ts";
import type { CommandIo } from "../../io.ts";
import { REPORT_FILE } from "../../report-files.ts";
import type { RunTarget } from "../../run-target.ts";
import type { RunFlags } from "./flags.ts";

/** What `--failed` makes of the last report: the cases to run, or how to exit where there are none. */
export type LastTime =
  | {
      readonly only: NamedCases;
      readonly seed: number;
      readonly report: StoredReport;
      /** Flaky failures for the next report to carry; absent where there is none. */
      readonly carried?: readonly string[] | undefined;
    }
  | { readonly code: number };

/** Outcomes of a MUST that a second look could change, and for which a run does not exit 0. */
const UNSETTLED: readonly string[] = ["fail", "inconclusive"];
const WHAT = "what failed or was inconclusive last time";

/**
 * Reads which MUST cases failed in the last run, or were inconclusive, and says on stderr what comes of it.
 * Warnings are not among them, nor what the profile lacks: running again changes neither. A flaky
 * failure is among them until a whole run has passed it: to pass once says little of it.
 * @param folder absolute; where the last report is and the next one goes
 * @throws SuiteError when there is no such report, or it cannot say what is left
 */
export async function lastTime(folder: string, flags: RunFlags, io: CommandIo): Promise<LastTime> {
  const shown = join(flags.out, REPORT_FILE);
  const path = join(folder, REPORT_FILE);
  if (!existsSync(path)) {
    throw new SuiteError(
      "ERR_REPORT",
      `--failed needs the report of an earlier run, and ${shown} is not there`,
      {
        hint: "Run without --failed first, or name the folder of the report with --out.",
      },
    );
  }
  const report = await readReport(path, shown);
  const carried = [...new Set([...(report.carried ?? []), ...flakyFailures(report)])];
  const names = [...new Set([...unsettled(report), ...carried])];
  if (names.length === 0) return nothingLeft(report, shown, flags, io);
  const further = [
    ...(report.interrupted
      ? ["It was interrupted: what it had not judged is not among them."]
      : []),
    ...(carried.length > 0
      ? [`${counted(carried.length, "flaky failure")} among them, until a whole run has passed.`]
      : []),
    ...(flags.rule ? ["Those that no --rule matches will not be in the next report."] : []),
  ];
  const again = `${counted(names.length, "MUST case")} to run again: what failed or was inconclusive in ${shown}.`;
  io.stderr.write(`${[again, ...further].join("\n")}\n`);
  return {
    only: { names: withProvokers(report, names), what: WHAT },
    seed: report.seed,
    report,
    ...(carried.length > 0 && { carried }),
  };
}

/** Says so where the last report is of another deployment than the one that is about to be run. */
export function noteOtherTarget(
  report: StoredReport,
  { target, embedded }: RunTarget,
  io: CommandIo,
): void {
  const { baseUrl } = report.target;
  if (baseUrl === target.baseUrl || (embedded && report.target.embedded)) return;
  io.stderr.write(`The report is of ${printable(baseUrl)}, this run of ${target.baseUrl}.\n`);
}

/**
 * Cases, and those that sent what they were judged by: rules about every answer of a run see less of
 * them when they run alone.
 */
export function withProvokers(report: StoredReport, names: readonly string[]): string[] {
  const cases = new Map(report.rules.flatMap((rule) => rule.cases.map((one) => [one.id, one])));
  const provokers = names
    .flatMap((name) => cases.get(name)?.evidence?.probes ?? [])
    .map((exchange) => report.exchanges?.[exchange]?.caseId ?? "");
  return [...new Set([...names, ...provokers.filter((name) => cases.has(name))])];
}

function unsettled(report: StoredReport): string[] {
  return musts(report)
    .filter(({ outcome }) => UNSETTLED.includes(outcome))
    .map(({ id }) => id);
}

function flakyFailures(report: StoredReport): string[] {
  return musts(report)
    .filter(({ outcome, flaky }) => outcome === "fail" && flaky)
    .map(({ id }) => id);
}

function musts({ rules }: StoredReport): StoredCase[] {
  return rules.flatMap(({ cases }) => cases.filter(({ level = "MUST" }) => level === "MUST"));
}

/** Verdicts of a run after which nothing is left to judge. */
const SETTLED = ["conformant", "partial"] as const;

function nothingLeft(
  report: StoredReport,
  shown: string,
  flags: RunFlags,
  io: CommandIo,
): { code: number } {
  if (report.interrupted || (report.suiteErrors ?? []).length > 0) {
    throw new SuiteError("ERR_REPORT", `${shown} is of a run that did not come to its end`, {
      hint: "What it has not judged may have failed: run without --failed.",
    });
  }
  io.stderr.write(
    `Nothing was run: no case of ${shown} failed or was inconclusive. It stays as it is.\n` +
      `Its verdict is ${printable(report.verdict)}. Run without --failed to judge everything.\n`,
  );
  const verdict = SETTLED.find((one) => one === report.verdict) ?? "incomplete";
  const { acceptIncomplete = false } = flags;
  return { code: exitCode({ verdict, interrupted: false, suiteErrors: [], acceptIncomplete }) };
}
