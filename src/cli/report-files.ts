import { accessSync, constants, existsSync, statSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { writeWhole } from "../lib/write-whole.ts";
import { REPORTERS, reportPieces } from "../report/index.ts";
import type { Report } from "../report/report.ts";

/** The report that every run writes. */
export const REPORT_FILE = "report.json";

/**
 * Checks before a run that reports can be written. Changes nothing.
 * @param folder an absolute path
 * @param shown the folder as the user named it, for messages
 * @throws SuiteError when the path is not a folder, or neither it nor its nearest existing parent is writable
 */
export function checkFolder(folder: string, shown: string): void {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  if (!statSync(nearest).isDirectory()) {
    throw new SuiteError("ERR_REPORT", `Reports cannot go to ${shown}: a file has that name`, {
      hint: "Name another folder with --out.",
    });
  }
  try {
    accessSync(nearest, constants.W_OK);
  } catch (cause) {
    throw new SuiteError(
      "ERR_REPORT",
      `Reports cannot go to ${shown}: no permission to write there`,
      {
        hint: "Name another folder with --out.",
        cause,
      },
    );
  }
}

/**
 * Writes `report.json` and the further formats. Each file is written completely or not at all. Further
 * formats of an earlier run belong to another verdict and are deleted; they are recognised by their names,
 * beside a `report.json`.
 * @param folder an absolute path; created when it is missing
 * @param formats names of formats as `--report` takes them
 * @throws SuiteError when a file cannot be written
 */
export async function writeReports(
  folder: string,
  report: Report,
  formats: readonly string[],
): Promise<void> {
  const files: [name: string, text: string | Iterable<string>][] = [
    [REPORT_FILE, reportPieces(report)],
  ];
  for (const format of new Set(formats)) {
    const reporter = await REPORTERS.get(format)?.();
    if (reporter) files.push([reporter.file, reporter.render(report)]);
  }
  try {
    await mkdir(folder, { recursive: true });
    if (existsSync(join(folder, REPORT_FILE))) await removeFormats(folder);
    for (const [name, text] of files) await writeWhole(join(folder, name), text);
  } catch (cause) {
    throw new SuiteError(
      "ERR_REPORT",
      `The report cannot be written: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function removeFormats(folder: string): Promise<void> {
  // The reporters are loaded only when there is a file that they may have written.
  if ((await readdir(folder)).every((name) => name === REPORT_FILE)) return;
  for (const load of REPORTERS.values())
    await rm(join(folder, (await load()).file), { force: true });
}
