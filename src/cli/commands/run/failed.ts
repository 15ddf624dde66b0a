import { existsSync } from "node:fs";
import { join } from "node:path";

import { exitCode } from "../../../engine/judge.ts";
import type { NamedCases } from "../../../engine/select-cases.ts";
import { counted } from "../../../lib/counted.ts";
import { SuiteError } from "../../../lib/errors.ts";
import type { StoredCase, StoredReport } from "../../../report/stored.ts";
import { printable } from "../../../report/untrusted.ts";
import type { CommandIo } from "../../io.ts";
import { REPORT_FILE } from "../../report-files.ts";
import type { RunTarget } from "../../run-target.ts";
import type { RunFlags } from "./flags.ts";

/**
 * What `--failed` takes from the last report: the cases to run, or the exit code when there are none.
 */
export type LastTime =
  | {
      readonly only: NamedCases;
      readonly seed: number;
      readonly report: StoredReport;
      /** Flaky failures that the next report must carry on; absent when there are none. */
      readonly carried?: readonly string[] | undefined;
    }
  | { readonly code: number };

/** Outcomes of a MUST that another run could change, and for which a run does not exit 0. */
const UNSETTLED: readonly string[] = ["fail", "inconclusive"];
const WHAT = "what failed or was inconclusive last time";

/**
 * Reads which MUST cases failed or were inconclusive in the last run, and prints a summary on stderr.
 * Warnings and cases that the profile lacks something for are left out, because another run changes neither.
 * A flaky failure stays in until a whole run has passed it, because one pass proves little.
 * @param folder an absolute path: where the last report is and the next one goes
 * @throws SuiteError when there is no such report, or it does not tell what is left to judge
 */
export async function lastTime(folder: string, flags: RunFlags, io: CommandIo): Promise<LastTime> {
  const shown = join(flags.out, REPORT_FILE);
  const path = join(folder, REPORT_FILE);
  if (!existsSync(path)) {
    throw new SuiteError(
      "ERR_REPORT",
      `--failed needs the report of an earlier run, but ${shown} does not exist`,
      {
        hint: "Run without --failed first, or name the folder of the report with --out.",
      },
    );
  }
  // Most runs read no report, and would only wait for what describes one.
  const { readReport } = await import("../../../report/read-report.ts");
  const report = readReport(path, shown);
  const carried = [...new Set([...(report.carried ?? []), ...flakyFailures(report)])];
  const names = [...new Set([...unsettled(report), ...carried])];
  if (names.length === 0) return nothingLeft(report, shown, flags, io);
  const further = [
    ...(report.interrupted
      ? ["It was interrupted: cases that it did not reach are not included."]
      : []),
    ...(carried.length > 0
      ? [`${counted(carried.length, "flaky failure")} included until a whole run has passed.`]
      : []),
    ...(flags.rule ? ["Cases that no --rule matches will be missing from the next report."] : []),
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

/** Notes on stderr that the last report is of another deployment than this run. */
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
 * The named cases, and the cases whose exchanges they were judged by. Rules about all answers of a run see
 * fewer answers when they run alone.
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

/** Verdicts after which nothing is left to judge. */
const SETTLED = ["conformant", "partial"] as const;

function nothingLeft(
  report: StoredReport,
  shown: string,
  flags: RunFlags,
  io: CommandIo,
): { code: number } {
  if (report.interrupted || (report.suiteErrors ?? []).length > 0) {
    throw new SuiteError("ERR_REPORT", `${shown} is of a run that did not finish`, {
      hint: "Cases that it did not judge may fail. Run without --failed.",
    });
  }
  io.stderr.write(
    `Nothing was run: no case of ${shown} failed or was inconclusive. The report stays as it is.\n` +
      `Its verdict is ${printable(report.verdict)}. Run without --failed to judge everything.\n`,
  );
  const verdict = SETTLED.find((one) => one === report.verdict) ?? "incomplete";
  const { acceptIncomplete = false } = flags;
  return { code: exitCode({ verdict, interrupted: false, suiteErrors: [], acceptIncomplete }) };
}
