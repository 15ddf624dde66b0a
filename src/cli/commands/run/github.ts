import { appendFileSync, statSync } from "node:fs";

import { annotations } from "../../../report/annotations.ts";
import { LARGEST_SUMMARY, markdownSummary } from "../../../report/markdown.ts";
import type { Report } from "../../../report/report.ts";
import { printable } from "../../../report/untrusted.ts";
import type { CommandIo } from "../../io.ts";

/**
 * In GitHub Actions, prints annotations for a run and writes the job summary. A summary that cannot be
 * written causes no failure.
 */
export function tellGitHub(report: Report, io: CommandIo): void {
  io.workflow?.write(annotations(report));
  const file = io.env["GITHUB_STEP_SUMMARY"];
  if (!io.workflow || !file) return;
  try {
    const taken = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    // An earlier text may lack its final line break.
    const parted = taken > 0 ? "\n\n" : "";
    const room = LARGEST_SUMMARY - taken - parted.length;
    appendFileSync(file, parted + markdownSummary(report, room));
  } catch (error) {
    io.stderr.write(`The job has no summary: ${printable((error as Error).message)}\n`);
  }
}
