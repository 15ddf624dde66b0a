import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import { setImmediate } from "node:timers/promises";

import type { Asker } from "../init/gather.ts";
import { systemReason } from "../lib/system-error.ts";
import { INSTALLED } from "../report/commands.ts";
import type { Terminal } from "../report/progress.ts";
import { askAt } from "./ask.ts";

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
  const cwd = process.cwd();
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)] as const;
  const shown = (text: string): string => asStarted(text, { self, cwd });
  const stderr = terminal(process.stderr, shown, () => {});
  const stdout = terminal(process.stdout, shown, (error) => {
    stderr.write(`error: the output cannot be written to stdout: ${systemReason(error)}\n`);
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
    cwd,
    self,
    onStop(listener) {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    exit: (code) => process.exit(code),
    // Questions go to stderr, so that stdout can be redirected.
    ask: process.stdin.isTTY && stderr.isTTY ? askAt(process.stdin, process.stderr) : undefined,
  };
}

/** Resolves when everything that was printed is written, or lost, and its error was told. */
export async function printed(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(
    streams.map((stream) => new Promise((resolve) => stream.write("", () => resolve(undefined)))),
  );
  // A stream tells its error after it has called back.
  await setImmediate();
}

/**
 * @param shown changes each text before it is written
 * @param onLost called when the stream cannot be written any more, unless its reader closed it
 */
function terminal(
  stream: NodeJS.WriteStream,
  shown: (text: string) => string,
  onLost: (error: Error) => void,
): Terminal {
  let open = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (open && error.code !== "EPIPE") onLost(error);
    open = false;
  });
  return {
    write(text) {
      if (open) stream.write(shown(text));
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

const FILE = "orgsync-conformance.js";

/**
 * The words that start this command again as the user started it, to be shown before further arguments. `undefined` where npm
 * has installed it: then it is what reports show anyway, `npx --no-install orgsync-conformance`.
 */
export function startedAs({ self, cwd }: Pick<CommandIo, "self" | "cwd">): string[] | undefined {
  const script = self.length > 1 ? self.at(-1) : undefined;
  if (script === undefined || /[\\/]node_modules[\\/]/.test(script)) return undefined;
  // Another name is that of a link in a folder of the PATH.
  return basename(script) === FILE
    ? ["node", relative(cwd, script).replaceAll("\\", "/")]
    : ["orgsync-conformance"];
}

/** The command before one of its subcommands or options, in the neutral words that all texts have. */
const COMMAND =
  /(?<![\w./-])(?:npx --no-install )?orgsync-conformance(?=\s+(?:init|doctor|run|fleet|merge|replay|open|token|decode|compare|verify|attest|serve|keys|rules|help|--help|\[options\])(?![\w-]|\.\w))/g;

/**
 * A text for the terminal, in which this command is started as the user started it. Every text passes here when it leaves the
 * process. JSON is for programs and stays as it is.
 */
export function asStarted(text: string, io: Pick<CommandIo, "self" | "cwd">): string {
  if (io.self.length < 2 || /^\s*[[{]/.test(text)) return text;
  const words = startedAs(io) ?? INSTALLED;
  return text.replaceAll(COMMAND, () => words.join(" "));
}

/**
 * Whether this process was started so that it outlives its terminal. `nohup` has SIGHUP ignored, but Node resets that when it
 * starts. So this looks for the traces that are left: the name of the command that the shell started, a standard input
 * that is open for writing only, which `nohup` puts in the place of a terminal, and a parent that ignores the signal.
 */
function outlivesTerminal(env: NodeJS.ProcessEnv): boolean {
  const isUnreadable = /^flags:\s*\d*1$/m.test(processFile("self/fdinfo/0"));
  // SIGHUP is the lowest bit.
  const isParentDeaf = /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(
    processFile(`${process.ppid}/status`),
  );
  return basename(env["_"] ?? "") === "nohup" || isUnreadable || isParentDeaf;
}

/** A file below /proc; empty on systems without it. */
function processFile(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, "utf8");
  } catch {
    return "";
  }
}

export const INTERRUPTED = 130;

/**
 * Aborts its signal at the first signal to stop, and exits the process at the second.
 * @param said what happens now, as a sentence for stderr
 * @returns the signal, and a function that stops listening
 */
export function listenForStop(
  io: CommandIo,
  said: string,
): { readonly signal: AbortSignal; readonly stopListening: () => void } {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const stopListening = io.onStop(() => {
    if (signal.aborted) return io.exit(INTERRUPTED);
    interrupt.abort();
    io.stderr.write(`\nInterrupted: ${said} Once more exits at once.\n`);
  });
  return { signal, stopListening };
}

/** Resolves at the first signal to stop; the second one exits the process. */
export async function untilStopped(io: CommandIo): Promise<void> {
  let wishes = 0;
  await new Promise<void>((resolve) => {
    io.onStop(() => {
      wishes += 1;
      if (wishes > 1) io.exit(INTERRUPTED);
      resolve();
    });
  });
}
