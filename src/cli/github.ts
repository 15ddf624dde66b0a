import { appendFileSync, statSync } from "node:fs";

import { systemReason } from "../lib/system-error.ts";
import { LARGEST_SUMMARY } from "../report/gfm.ts";
import type { Terminal } from "../report/progress.ts";
import { failedAnnotation, failedSummary } from "../report/workflow-command.ts";
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
    io.stderr.write(`The job has no summary: ${systemReason(error)}\n`);
  }
}

/**
 * Tells GitHub Actions that a command could not run.
 * @param lines what went wrong, and what to do; without secrets
 */
export function tellGitHubError(lines: readonly string[], io: CommandIo): void {
  tellGitHub(failedAnnotation(lines), (bytes) => failedSummary(lines, bytes), io);
}

/**
 * The runner of GitHub Actions executes every line that begins with `::` after optional white space, and
 * every `##[` inside a line, as a workflow command. Anything printed may contain text from the target, and
 * line wrapping may move any part of it to the start of a line.
 */
const COMMAND = /^([\s\p{M}]*):(?=:)|##(?=\[)/gmu;

/**
 * Returns `io` with output streams that cannot send a workflow command to GitHub Actions by accident: the
 * first character of what would be a command is printed as an escape. `workflow` of the result writes
 * workflow commands on purpose. Outside GitHub Actions `io` comes back unchanged.
 */
export function guardLog(io: CommandIo): CommandIo {
  if (io.env["GITHUB_ACTIONS"] !== "true" || io.workflow) return io;
  return { ...io, stdout: guarded(io.stdout), stderr: guarded(io.stderr), workflow: io.stdout };
}

function guarded(terminal: Terminal): Terminal {
  return {
    write: (text) => terminal.write(withoutCommands(text)),
    isTTY: terminal.isTTY,
    get columns() {
      return terminal.columns;
    },
  };
}

function withoutCommands(text: string): string {
  return text.replace(COMMAND, (_, blanks: string | undefined) =>
    blanks === undefined ? "\\u{23}#" : `${blanks}\\u{3a}`,
  );
}
