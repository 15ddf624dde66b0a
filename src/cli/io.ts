import type { Asker } from "../init/gather.ts";
import type { Terminal } from "../report/progress.ts";
import { askAtTerminal } from "./ask.ts";
import { outlivesTerminal } from "./outlives-terminal.ts";

/** The environment that a command runs in: the process itself, or a stand-in in tests. */
export interface CommandIo {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives workflow commands for GitHub Actions, which are escaped in the other two streams. */
  readonly workflow?: Pick<Terminal, "write"> | undefined;
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** The program and the first arguments that start this command in another process. */
  readonly self: readonly [string, ...string[]];
  /**
   * Calls the listener each time the user asks the command to stop (SIGINT, SIGTERM, SIGHUP).
   * @returns a function that removes the listener
   */
  onStop(listener: () => void): () => void;
  /** Ends the process immediately. */
  exit(code: number): void;
  /** Asks the person at the terminal; absent when there is no interactive terminal. */
  readonly ask?: Asker | undefined;
}

/** Exit code in place of success where the output got lost. */
const OUTPUT_LOST = 2;

/** Columns to assume in a file or a pipe for which `COLUMNS` names no width. */
const USUAL_COLUMNS = 100;

/**
 * The streams and signals of this process. A reader that closes the pipe early, as `head` does, causes no
 * error. If stdout cannot be written for another reason, such as a full disk, stderr says so, and the process does not exit with 0.
 */
export function processIo(): CommandIo {
  const stderr = terminal(process.stderr, () => {});
  const stdout = terminal(process.stdout, ({ message }) => {
    stderr.write(`error: the output cannot be written to stdout: ${message}\n`);
    process.once("exit", () => {
      process.exitCode ||= OUTPUT_LOST;
    });
  });
  const isDeaf = outlivesTerminal(process.env);
  if (isDeaf) process.on("SIGHUP", () => {});
  const signals = ["SIGINT", "SIGTERM", ...(isDeaf ? [] : (["SIGHUP"] as const))] as const;
  return {
    stdout,
    stderr,
    // A getter, because an open stdin keeps the process alive.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    cwd: process.cwd(),
    self: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)],
    onStop(listener) {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    exit: (code) => process.exit(code),
    ask: process.stdin.isTTY && stderr.isTTY ? askAtTerminal : undefined,
  };
}

/** @param onLost called when the stream cannot be written any more, unless its reader closed it */
function terminal(stream: NodeJS.WriteStream, onLost: (error: Error) => void): Terminal {
  let open = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (open && error.code !== "EPIPE") onLost(error);
    open = false;
  });
  return {
    write(text) {
      if (open) stream.write(text);
    },
    // A dumb terminal understands no escapes: it gets what a file gets.
    isTTY: stream.isTTY && process.env["TERM"] !== "dumb",
    get columns() {
      return stream.columns ?? (wantedColumns(process.env) || USUAL_COLUMNS);
    },
  };
}

/** The width that `COLUMNS` names for an output that is no terminal; 0 where it names none. */
function wantedColumns({ COLUMNS = "" }: CommandIo["env"]): number {
  return /^\d{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
}

/** Whether output is coloured (no-color.org); `FORCE_COLOR` colours what is no terminal too. */
export function wantsColor({ isTTY }: Terminal, env: CommandIo["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTTY;
}
