import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** How a process ended. */
export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "not-started"; readonly why: string }
  /** Ended because it exceeded its time limit. */
  | { readonly kind: "too-long" }
  /** Ended because the user stopped the fleet. */
  | { readonly kind: "stopped" };

/** The command to run, and its limits. */
export interface ChildRun {
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file for all its output, an absolute path. */
  readonly log: string;
  readonly limitMs: number;
  /** Aborts when everything must stop. */
  readonly signal: AbortSignal;
}

/** Time for a process to write its results after it was asked to end. */
const LEAVE_MS = 10_000;
const POSIX = process.platform !== "win32";

/** The running processes. Their groups would survive this process, so they are ended with it. */
const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) kill(child, "SIGKILL");
}

/** Runs a command in its own process group, and ends the whole group if it must be ended. */
export async function runChild({ signal, limitMs, log, ...run }: ChildRun): Promise<Ending> {
  if (signal.aborted) return { kind: "stopped" };
  const output = openSync(log, "w");
  // In its own group it gets no signals from the terminal; the fleet ends it in order.
  const options: SpawnOptions = {
    cwd: run.cwd,
    env: run.env,
    stdio: ["ignore", output, output],
    detached: POSIX,
    windowsHide: true,
  };
  const [program, ...args] = run.command;
  return new Promise((resolve) => {
    const child = spawn(program, args, options);
    let ended: "too-long" | "stopped" | undefined;
    let leave: NodeJS.Timeout | undefined;
    const limit = setTimeout(() => {
      ended ??= "too-long";
      kill(child, "SIGKILL");
    }, limitMs);
    const stop = (): void => {
      ended ??= "stopped";
      kill(child, "SIGTERM");
      leave = setTimeout(() => kill(child, "SIGKILL"), LEAVE_MS);
    };
    const settle = (ending: Ending): void => {
      clearTimeout(limit);
      clearTimeout(leave);
      signal.removeEventListener("abort", stop);
      running.delete(child);
      if (running.size === 0) process.off("exit", endAll);
      closeSync(output);
      resolve(ended === undefined ? ending : { kind: ended });
    };
    signal.addEventListener("abort", stop);
    if (running.size === 0) process.on("exit", endAll);
    running.add(child);
    child.once("error", ({ message }) => {
      if (child.pid === undefined) settle({ kind: "not-started", why: message });
    });
    child.once("exit", (code, by) => {
      settle(
        code === null ? { kind: "signalled", signal: by ?? "a signal" } : { kind: "exited", code },
      );
    });
  });
}

/** Signals a process and, where the system has process groups, all that it started. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (POSIX) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has already ended.
  }
}
