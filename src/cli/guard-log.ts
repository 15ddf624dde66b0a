import type { Terminal } from "../report/progress.ts";
import type { CommandIo } from "./io.ts";

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
