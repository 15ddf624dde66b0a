import { join } from "node:path";

import { type Ending, exitCode, type Gate } from "../../../engine/judge.ts";
import type { NamedCases } from "../../../engine/select-cases.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/words.ts";
import { mustsOf, provokersOf, remainderOf } from "../../../report/remaining.ts";
import type { StoredReport } from "../../../report/stored.ts";
import { printable } from "../../../report/untrusted.ts";
import type { CommandIo } from "../../io.ts";
import { type FormerReports, readFormer, REPORT_FILE, WHOLE_FILE } from "../../report-files.ts";
import type { RunTarget } from "../../run-target.ts";
import type { RunFlags } from "./flags.ts";

/** What `--failed` takes from earlier runs: the cases to run, or how to end without any. */
export type LastTime =
  | { readonly only: NamedCases; readonly seed: number; readonly report: StoredReport }
  | { readonly code: number };

const WHAT = "what failed or was inconclusive last time";

/**
 * Reads which MUST cases failed or were inconclusive in the last whole run or since, and have not passed since, and
 * prints a summary on stderr. Warnings and cases that the profile lacks something for are left out, because another
 * run changes neither. A flaky failure stays in until a whole run has passed it, because one pass proves little.
 * @param folder an absolute path: where the last report is and the next one goes
 * @param gate what decides the exit code when there are none
 * @throws SuiteError when there is no such report, or it does not tell what is left to judge
 */
export async function lastTime(
  folder: string,
  flags: RunFlags,
  gate: Gate,
  io: CommandIo,
): Promise<LastTime> {
  const former = await readFormer(folder, flags.out);
  const { last, whole } = former;
  const latest = last ?? whole;
  if (!latest) {
    const shown = join(flags.out, REPORT_FILE);
    throw new SuiteError(
      "ERR_REPORT",
      `--failed needs the report of an earlier run, but ${shown} does not exist`,
      { hint: "Run without --failed first, or name the folder of the report with --out." },
    );
  }
  const base = whole ?? latest;
  const shown = join(flags.out, whole ? WHOLE_FILE : REPORT_FILE);
  const { remaining, carried } = remainderOf(latest);
  if (remaining.length === 0) return nothingLeft(former, base, shown, gate, io);
  const since = base === last ? "" : ", and has not passed since";
  const further = [
    ...(base.interrupted
      ? ["It was interrupted: cases that it did not reach are not included."]
      : []),
    ...(carried.length > 0
      ? [`${counted(carried.length, "flaky failure")} included until a whole run has passed.`]
      : []),
    ...(flags.rule ? ["Cases that no --rule matches stay for the next run with --failed."] : []),
  ];
  const again = `${counted(remaining.length, "MUST case")} to run again: what failed or was inconclusive in ${shown}${since}.`;
  io.stderr.write(`${[again, ...further].join("\n")}\n`);
  const names = remaining.flatMap((one) => [one.case, ...(one.after ?? [])]);
  return { only: { names: [...new Set(names)], what: WHAT }, seed: base.seed, report: base };
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

/** The named cases, and the cases whose exchanges they were judged by; see `provokersOf`. */
export function withProvokers(report: StoredReport, names: readonly string[]): string[] {
  const cases = report.rules.flatMap((rule) => rule.cases.filter(({ id }) => names.includes(id)));
  return [...new Set([...names, ...cases.flatMap((one) => provokersOf(report, one))])];
}

/** Verdicts after which nothing is left to judge. */
const SETTLED = ["conformant", "partial"] as const;

function nothingLeft(
  { last, whole }: FormerReports,
  base: StoredReport,
  shown: string,
  gate: Gate,
  io: CommandIo,
): { code: number } {
  if (base.interrupted || (base.suiteErrors ?? []).length > 0) {
    throw new SuiteError("ERR_REPORT", `${shown} is of a run that did not finish`, {
      hint: "Cases that it did not judge may fail. Run without --failed.",
    });
  }
  const { verdict } = last ?? base;
  const why = whole
    ? `all that failed or was inconclusive in ${shown} has passed since`
    : `no case of ${shown} failed or was inconclusive`;
  io.stderr.write(
    `Nothing was run: ${why}. The report stays as it is.\n` +
      `Its verdict is ${printable(verdict)}. Run without --failed to judge everything.\n`,
  );
  const lacking = whole && mustsOf(whole).some(({ outcome }) => outcome === "not-provisioned");
  const ending: Ending = {
    verdict: (!lacking && SETTLED.find((one) => one === verdict)) || "incomplete",
    interrupted: false,
    suiteErrors: [],
  };
  return { code: exitCode(ending, gate) };
}
