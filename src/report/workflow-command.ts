import { printable } from "./untrusted.ts";

const MESSAGE_CHARACTERS = 2000;

/** An annotation of a job in GitHub Actions. */
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
  return `::${level} title=${propertyText(title)}::${messageText(cut.join("\n"))}\n`;
}

/** Escapes a message for the runner: https://github.com/actions/runner, ActionCommand.cs. */
function messageText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function propertyText(text: string): string {
  return messageText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
