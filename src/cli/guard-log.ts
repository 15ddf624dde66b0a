import type { Terminal } from "../report/progress.ts";
import type { CommandIo } from "./io.ts";

/**
 * The runner of GitHub Actions takes every line that begins with `::`, blanks aside, and every `##[` in
 * a line for a command to itself. Whatever is printed may hold a target's words, and wrapping may put
 * any of them first.
 */
const COMMAND = /^([\s\p{M}]*):(?=:)|##(?=\[)/gmu;

/**
 * The world of a command without a way to command GitHub Actions by accident; in Actions alone, where
 * `io.workflow` then is the way to do so on purpose. What would be a command is printed with its first
 * character as an escape.
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
