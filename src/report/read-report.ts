import { createHash } from "node:crypto";

import { SuiteError } from "../lib/errors.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { strictJson } from "../lib/strict-json.ts";
import { restsOnExchanges } from "./remaining.ts";
import type { Report } from "./report.ts";
import { type StoredReport, storedReport } from "./stored.ts";
import { wholeReport } from "./whole-report.ts";

/** Several times the size of a report in which everything fails. */
const MOST_BYTES = 64 * 1024 * 1024;

const HINT = "Name the report.json of a run; `orgsync-conformance run` writes it to reports/.";

/**
 * Reads the `report.json` of an earlier run.
 * @param path an absolute path
 * @param shown the file as the user named it
 * @throws SuiteError when it cannot be read or is not a report
 */
export function readReport(path: string, shown: string): StoredReport {
  const report = storedReport(jsonOf(readBytes(path, shown), shown));
  if (typeof report === "string") throw unreadable(shown, report);
  return report;
}

/**
 * Reads the `report.json` of an earlier run for what is left to do after it. Its exchanges, most of the file, are left out if it
 * can be told without them.
 * @param path an absolute path
 * @param shown the file as the user named it
 * @throws SuiteError when it cannot be read or is not a report
 */
export function readOutcomes(path: string, shown: string): StoredReport {
  const report = storedReport(jsonOf(withoutExchanges(readBytes(path, shown)), shown));
  if (typeof report === "string") throw unreadable(shown, report);
  return restsOnExchanges(report) ? readReport(path, shown) : report;
}

/** A whole report, and the SHA-256 of its file in hexadecimal. */
export interface WholeReport {
  readonly report: Report;
  readonly sha256: string;
}

/**
 * Reads a complete `report.json` that this version of the suite has written.
 * @param path an absolute path
 * @param shown the file as the user named it
 * @throws SuiteError when it cannot be read, is not a report, or is a report of another version
 */
export function readWholeReport(path: string, shown: string): WholeReport {
  const bytes = readBytes(path, shown);
  const report = wholeReport(jsonOf(bytes, shown));
  if (typeof report === "string") throw unreadable(shown, report);
  return { report, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function readBytes(path: string, shown: string): Buffer {
  try {
    return readRegularFile(path, MOST_BYTES);
  } catch (cause) {
    throw new SuiteError("ERR_REPORT", `${shown} ${(cause as Error).message}`, {
      hint: HINT,
      cause,
    });
  }
}

/** Empties the member `exchanges` of a report in the form in which runs write it: only its own lines are indented by one blank. */
function withoutExchanges(bytes: Buffer): Buffer {
  const before = '\n "exchanges": {';
  const start = bytes.indexOf(`${before}\n`);
  const end = start < 0 ? -1 : bytes.indexOf("\n }", start + before.length);
  if (end < 0) return bytes;
  return Buffer.concat([bytes.subarray(0, start + before.length), bytes.subarray(end)]);
}

function jsonOf(bytes: Buffer, shown: string): unknown {
  try {
    return strictJson(bytes.toString("utf8"));
  } catch (cause) {
    throw new SuiteError("ERR_REPORT", `${shown} ${(cause as Error).message}`, {
      hint: HINT,
      cause,
    });
  }
}

function unreadable(shown: string, why: string): SuiteError {
  return new SuiteError(
    "ERR_REPORT",
    `${shown} is not a report that this version can read: ${why}`,
    {
      hint: HINT,
    },
  );
}
