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
 * Makes sure, before a run, that reports can be written; changes nothing.
 * @param folder absolute
 * @throws SuiteError when the folder is none, or neither it nor its parent may be written to
 */
export function checkFolder(folder: string, shown: string): void {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  if (!statSync(nearest).isDirectory()) {
    throw new SuiteError(
      "ERR_REPORT",
      `Reports cannot go to ${shown}: there is a file in the way`,
      {
        hint: "Name another folder with --out.",
      },
    );
  }
  try {
    accessSync(nearest, constants.W_OK);
  } catch (cause) {
    throw new SuiteError("ERR_REPORT", `Reports cannot go to ${shown}: you may not write there`, {
      hint: "Name another folder with --out.",
      cause,
    });
  }
}

/**
 * Writes `report.json` and the further formats. Each file is there whole or not at all. Further formats of an earlier run,
 * which tell of another verdict, are deleted; they are known by their names, beside a `report.json`.
 * @param folder absolute; made when it is missing
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
  // What knows their names is loaded where one may be there.
  if ((await readdir(folder)).every((name) => name === REPORT_FILE)) return;
  for (const load of REPORTERS.values())
    await rm(join(folder, (await load()).file), { force: true });
}
