import { prose } from "./gfm.ts";
import { printable } from "./untrusted.ts";

const MESSAGE_CHARACTERS = 2000;

export interface Annotation {
  readonly title: string;
  readonly message: string;
}

/** A workflow command of GitHub Actions as a line, escaped so that nothing can end it. */
export function workflowCommand(
  level: "error" | "warning" | "notice",
  { title, message }: Annotation,
): string {
  const cut = message.split("\n").map((line) => printable(line, MESSAGE_CHARACTERS));
  const property = messageText(title).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${level} title=${property}::${messageText(cut.join("\n"))}\n`;
}

/** Escapes a message for the runner: https://github.com/actions/runner, ActionCommand.cs. */
function messageText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

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
