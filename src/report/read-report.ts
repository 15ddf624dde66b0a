import { SuiteError } from "../lib/errors.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { type StoredReport, storedReport } from "./stored.ts";

/** Many times the report of a run in which everything fails. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads the `report.json` of an earlier run.
 * @param path absolute
 * @param shown the file as the person named it
 * @throws SuiteError when it cannot be read or is no report
 */
export async function readReport(path: string, shown: string): Promise<StoredReport> {
  const hint = "Name the report.json of a run; `orgsync-conformance run` writes it to reports/.";
  let text: string;
  try {
    text = readRegularFile(path, MOST_BYTES).toString("utf8");
  } catch (cause) {
    throw new SuiteError("ERR_REPORT", `${shown} ${(cause as Error).message}`, { hint, cause });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new SuiteError("ERR_REPORT", `${shown} is not JSON: ${(cause as Error).message}`, {
      hint,
      cause,
    });
  }
  const report = storedReport(json);
  if (typeof report === "string") {
    throw new SuiteError(
      "ERR_REPORT",
      `${shown} is no report that this version can read: ${report}`,
      { hint },
    );
  }
  return report;
}
