import { resolve } from "node:path";

import { SuiteError } from "../../../lib/errors.ts";
import { compareReports } from "../../../report/compare.ts";
import { comparisonPage } from "../../../report/comparison-page.ts";
import { createPage } from "../../../report/layout.ts";
import { readReport } from "../../../report/read-report.ts";
import { type CommandIo, wantsColor } from "../../io.ts";

/**
 * Compares reports and returns the differences as text or JSON.
 * @param files as the user named them, relative to the working directory
 * @throws SuiteError when there is only one, or one cannot be read or is not a report
 */
export function compareFiles(
  files: readonly string[],
  json: boolean,
  { stdout, env, cwd }: CommandIo,
): string {
  if (files.length < 2) {
    throw new SuiteError("ERR_FLAG", "There is nothing to compare with: name two reports or more");
  }
  const reports = files.map((file) => readReport(resolve(cwd, file), file));
  const comparison = compareReports(files, reports);
  if (json) return `${JSON.stringify(comparison, null, 2)}\n`;
  const page = createPage(stdout.columns, wantsColor(stdout, env));
  return `${comparisonPage(page, comparison).join("\n")}\n`;
}
