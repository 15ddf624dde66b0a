import { appendFileSync, statSync } from "node:fs";

import { failedAnnotation, failedSummary } from "../report/could-not-run.ts";
import { LARGEST_SUMMARY } from "../report/gfm.ts";
import { printable } from "../report/untrusted.ts";
import type { CommandIo } from "./io.ts";

/**
 * In GitHub Actions, prints workflow commands and adds to the summary of the job. A summary that cannot be
 * written causes no failure.
 * @param commands one a line
 * @param summaryWithin makes the Markdown, of at most this many bytes
 */
export function tellGitHub(
  commands: string,
  summaryWithin: (bytes: number) => string,
  io: CommandIo,
): void {
  io.workflow?.write(commands);
  const file = io.env["GITHUB_STEP_SUMMARY"];
  if (!io.workflow || !file) return;
  try {
    const taken = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    // An earlier text may lack its final line break.
    const parted = taken > 0 ? "\n\n" : "";
    appendFileSync(file, parted + summaryWithin(LARGEST_SUMMARY - taken - parted.length));
  } catch (error) {
    io.stderr.write(`The job has no summary: ${printable((error as Error).message)}\n`);
  }
}

/**
 * Tells GitHub Actions that a command could not run.
 * @param lines what went wrong, and what to do; without secrets
 */
export function tellGitHubError(lines: readonly string[], io: CommandIo): void {
  tellGitHub(failedAnnotation(lines), (bytes) => failedSummary(lines, bytes), io);
}
