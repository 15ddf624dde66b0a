import { accessSync, constants, existsSync, rmdirSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { systemReason } from "../lib/system-error.ts";
import { PRIVATE_MODE, writeWhole } from "../lib/write-whole.ts";
import { REPORTERS, reportPieces } from "../report/index.ts";
import { extentOf, remainderAfter, remainderOf, replaces } from "../report/remaining.ts";
import type { Report } from "../report/report.ts";
import type { StoredReport } from "../report/stored.ts";

export const REPORT_FILE = "report.json";
/** The report of the last whole run, where the last run was one of a part. */
export const WHOLE_FILE = "whole.json";

/** Why a folder cannot be used, by the system's error code. */
const UNUSABLE: Readonly<Record<string, string>> = {
  EEXIST: "a file has that name",
  ENOTDIR: "a file has that name",
  EACCES: "no permission to write there",
  EPERM: "no permission to write there",
};

/**
 * Checks before a run that reports can be written: creates the folder, and removes it again.
 * @throws SuiteError when the path is not a folder and none can be created there, or it is not writable
 */
export function checkFolder(folder: string, shown: string): void {
  try {
    const made = makeFolder(folder);
    accessSync(folder, constants.W_OK);
    for (const one of made.toReversed()) rmdirSync(one);
  } catch (cause) {
    throw new SuiteError(
      "ERR_REPORT",
      `Reports cannot go to ${shown}: ${systemReason(cause, UNUSABLE)}`,
      { hint: "Name another folder with --out.", cause },
    );
  }
}

export interface FormerReports {
  /** That of the last run. */
  readonly last?: StoredReport | undefined;
  /** That of the last run that looked at everything, if it is not the last one. */
  readonly whole?: StoredReport | undefined;
}

/**
 * Reads the reports of earlier runs, as far as they tell what is left to do.
 * @throws SuiteError when one of them cannot be read
 */
export async function readFormer(folder: string, shown: string): Promise<FormerReports> {
  const read = async (name: string): Promise<StoredReport | undefined> => {
    if (!existsSync(join(folder, name))) return undefined;
    // Most runs read no report, and would only wait for what describes one.
    const { readOutcomes } = await import("../report/read-report.ts");
    return readOutcomes(join(folder, name), join(shown, name));
  };
  return { last: await read(REPORT_FILE), whole: await read(WHOLE_FILE) };
}

/**
 * Writes `report.json` and the further formats. Each file is written completely or not at all. Further
 * formats of an earlier run belong to another verdict and are deleted; they are recognised by their names,
 * beside a `report.json`. The run of a part keeps the files of the last whole run as `whole.json`, `whole.html`
 * and so on, and states what is left to do.
 * @param folder an absolute path; created when it is missing
 * @param formats names of formats as `--report` takes them
 * @param mode permissions of the files; default: for their owner alone
 * @returns the names of the files, how many MUST cases are left to do after the run of a part, and whether `whole.json` has the last whole run
 * @throws SuiteError when a file cannot be written
 */
export async function writeReports(
  folder: string,
  report: Report,
  formats: readonly string[],
  mode: number = PRIVATE_MODE,
): Promise<{
  readonly keepsWhole: boolean;
  readonly left: number | undefined;
  readonly files: readonly string[];
}> {
  try {
    makeFolder(folder);
    const former = await formerOf(folder, report);
    const kept = keptBeside(former, report);
    const continued = extentOf(report) === "part" || kept !== undefined;
    const whole = continued ? { ...report, ...leftAfter(former, report) } : report;
    const files: [name: string, text: string | Iterable<string>][] = [
      [REPORT_FILE, reportPieces(whole)],
    ];
    for (const format of new Set(formats)) {
      const reporter = await REPORTERS.get(format)?.();
      if (reporter) files.push([reporter.file, reporter.render(whole)]);
    }
    await makeRoom(folder, kept);
    for (const [name, text] of files) await writeWhole(join(folder, name), text, mode);
    const left = whole.remaining?.length;
    return { keepsWhole: kept !== undefined, left, files: files.map(([name]) => name) };
  } catch (cause) {
    throw new SuiteError("ERR_REPORT", `The report cannot be written: ${systemReason(cause)}`, {
      cause,
    });
  }
}

/** The reports that a run may have to keep. One that cannot be read is no record of a run. */
async function formerOf(folder: string, report: Report): Promise<FormerReports> {
  if (extentOf(report) === "whole") return {};
  try {
    return await readFormer(folder, folder);
  } catch (error) {
    if (error instanceof SuiteError) return {};
    throw error;
  }
}

/** Which of the former reports a run must keep, because it looked at less. */
function keptBeside({ last, whole }: FormerReports, report: Report): "last" | "whole" | undefined {
  if (last && !replaces(report, last) && replaces(last, whole ?? last)) return "last";
  return whole && !replaces(report, whole) ? "whole" : undefined;
}

function leftAfter(
  { last, whole }: FormerReports,
  report: Report,
): Pick<Report, "remaining" | "carried"> {
  const latest = last ?? whole;
  if (!latest) return {};
  const { remaining, carried } = remainderAfter(remainderOf(latest), report);
  return { remaining, ...(carried.length > 0 && { carried }) };
}

async function makeRoom(folder: string, kept: "last" | "whole" | undefined): Promise<void> {
  const present = new Set(await readdir(folder));
  if (!present.has(REPORT_FILE) && !present.has(WHOLE_FILE)) return;
  // The reporters are loaded only when there is a file that they may have written.
  const loaders = present.size > 1 ? [...REPORTERS.values()] : [];
  const formats = await Promise.all(loaders.map((load) => load()));
  for (const name of [...formats.map(({ file }) => file), REPORT_FILE]) {
    const former = join(folder, name);
    const beside = join(folder, wholeName(name));
    if (kept === undefined) await rm(beside, { force: true });
    if (kept === "last" && present.has(name)) await rename(former, beside);
    else if (name !== REPORT_FILE) await rm(former, { force: true });
  }
}

/** `whole.html` for `report.html`, `whole.junit.xml` for `junit.xml`. */
function wholeName(name: string): string {
  return name.startsWith("report.") ? name.replace("report", "whole") : `whole.${name}`;
}
