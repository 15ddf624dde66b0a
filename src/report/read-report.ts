import { createHash } from "node:crypto";

import { addRequirements, requirementsVersion } from "../contract/requirements.ts";
import { naming, SuiteError } from "../lib/errors.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { strictJson } from "../lib/strict-json.ts";
import { firstIssue } from "../lib/zod-issue.ts";
import { restsOnExchanges } from "./remaining.ts";
import type { Report } from "./report.ts";
import { reportSchema } from "./schema/report.ts";
import { type StoredReport, storedReport } from "./stored.ts";
import { printable } from "./untrusted.ts";

/** Several times the size of a report in which everything fails. */
const MOST_BYTES = 64 * 1024 * 1024;

const HINT = "Name the report.json of a run; `orgsync-conformance run` writes it to reports/.";

/**
 * Reads the `report.json` of an earlier run.
 * @throws SuiteError when it cannot be read or is not a report
 */
export function readReport(path: string, shown: string): StoredReport {
  return reportIn(readBytes(path, shown), shown, storedReport);
}

/**
 * Reads the `report.json` of an earlier run for what is left to do after it. Its exchanges, most of the file, are left
 * out if it can be told without them.
 * @throws SuiteError when it cannot be read or is not a report
 */
export function readOutcomes(path: string, shown: string): StoredReport {
  const report = reportIn(withoutExchanges(readBytes(path, shown)), shown, storedReport);
  return restsOnExchanges(report) ? readReport(path, shown) : report;
}

/** A whole report, and the SHA-256 of its file in hexadecimal. */
export interface WholeReport {
  readonly report: Report;
  readonly sha256: string;
}

/**
 * Reads a complete `report.json` that this version of the suite has written.
 * @throws SuiteError when it cannot be read, is not a report, or is a report of another version
 */
export function readWholeReport(path: string, shown: string): WholeReport {
  const bytes = readBytes(path, shown);
  const report = reportIn(bytes, shown, wholeReport);
  return { report, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function readBytes(path: string, shown: string): Buffer {
  return naming(shown, "ERR_REPORT", () => readRegularFile(path, MOST_BYTES), HINT);
}

/** Empties the member `exchanges` of a report in the form in which runs write it: only its own lines are indented by one blank. */
function withoutExchanges(bytes: Buffer): Buffer {
  const before = '\n "exchanges": {';
  const start = bytes.indexOf(`${before}\n`);
  const end = start < 0 ? -1 : bytes.indexOf("\n }", start + before.length);
  if (end < 0) return bytes;
  return Buffer.concat([bytes.subarray(0, start + before.length), bytes.subarray(end)]);
}

function reportIn<Read extends object>(
  bytes: Buffer,
  shown: string,
  read: (json: unknown) => Read | string,
): Read {
  const json = naming(shown, "ERR_REPORT", () => strictJson(bytes.toString("utf8")), HINT);
  const report = read(json);
  if (typeof report !== "string") return report;
  const message = `${shown} is not a report that this version can read: ${report}`;
  throw new SuiteError("ERR_REPORT", message, { hint: HINT });
}

/**
 * A whole report of this version from parsed JSON, or a phrase that names the first problem.
 * @throws SuiteError when another version of the suite made it, or one that did not record the facts
 */
export function wholeReport(json: unknown): Report | string {
  const stored = storedReport(json);
  if (typeof stored === "string") return stored;
  checkVersion(stored);
  if (stored.plan && !stored.plan.facts) {
    throw new SuiteError(
      "ERR_REPORT",
      "It lacks plan.facts, so that its plan cannot be made again",
      { hint: "A development version made it. Run again with this one, and take the new report." },
    );
  }
  const { success, data, error } = reportSchema.safeParse(json);
  if (!success) return printable(firstIssue(error.issues, json));
  for (const pack of data.packs ?? []) addRequirements(pack.requirements, true);
  return data;
}

/**
 * Checks that this version of the suite made a report.
 * @throws SuiteError when another version made it, with how to get that version
 */
export function checkVersion({ suite }: Pick<StoredReport, "suite">): void {
  const { version, requirements } = suite;
  if (version === suiteVersion && requirements === requirementsVersion) return;
  const made = `version ${printable(version, 40)} with the rule set ${printable(requirements, 40)}`;
  throw new SuiteError(
    "ERR_REPORT",
    `It was made by ${made}; this is version ${suiteVersion} with ${requirementsVersion}`,
    {
      hint: "Use the version that made it: check out its commit in a clone of the suite's repository and run `npm run setup`,\nor install the file that `npm pack` made of it in a folder of its own.",
    },
  );
}
