import { prose } from "./gfm.ts";
import { printable } from "./untrusted.ts";
import { workflowCommand } from "./workflow-command.ts";

const TITLE = "orgsync-conformance could not run";
/** In characters. */
const LONGEST_LINE = 1000;

/**
 * The annotation of a command that could not run.
 * @param lines what went wrong, and what to do
 */
export function failedAnnotation(lines: readonly string[]): string {
  return workflowCommand("error", { title: TITLE, message: lines.join("\n") });
}

/**
 * The summary of a job whose command could not run, as Markdown.
 * @param lines what went wrong, and what to do
 * @param largest in bytes of UTF-8; empty where there is not so much room
 */
export function failedSummary(lines: readonly string[], largest: number): string {
  const shown = lines.map((line) => prose(printable(line, LONGEST_LINE)));
  const text = `## ${TITLE}\n\n${shown.join("\\\n")}\n`;
  return Buffer.byteLength(text) > largest ? "" : text;
}
