import type { Asker } from "../init/gather.ts";
import type { Terminal } from "../report/progress.ts";
import { askAtTerminal } from "./ask.ts";

/** What a command knows of the world; the process in real life, something smaller in tests. */
export interface CommandIo {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes workflow commands where GitHub Actions runs this, past what guards the other two. */
  readonly workflow?: Pick<Terminal, "write"> | undefined;
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  /** Program and first arguments that start this command in a process of its own. */
  readonly self: readonly [string, ...string[]];
  /**
   * Calls the listener each time that somebody wants the command to stop.
   * @returns what ends that
   */
  onStop(listener: () => void): () => void;
  /** Ends everything at once. */
  exit(code: number): void;
  /** Asks the person at the terminal; absent where there is none. */
  readonly ask?: Asker | undefined;
}

/** Columns where the width is unknown, as in a file or a pipe. */
const USUAL_COLUMNS = 100;

/** The process's own streams and signals. A reader that went away, as `head` does, is no error. */
export function processIo(): CommandIo {
  return {
    stdout: terminal(process.stdout),
    stderr: terminal(process.stderr),
    // Opened by whoever reads it: a stream that is open keeps the process alive.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    cwd: process.cwd(),
    self: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)],
    onStop(listener) {
      const signals = ["SIGINT", "SIGTERM"] as const;
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    exit: (code) => process.exit(code),
    ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined,
  };
}

function terminal(stream: NodeJS.WriteStream): Terminal {
  let open = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    open = false;
  });
  return {
    write(text) {
      if (open) stream.write(text);
    },
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns ?? USUAL_COLUMNS;
    },
  };
}

/** Whether to colour what goes to a terminal; see no-color.org. `FORCE_COLOR` does so elsewhere too. */
export function wantsColor({ isTTY }: Terminal, env: CommandIo["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTTY && env["TERM"] !== "dumb";
}
