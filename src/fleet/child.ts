import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** How a process came to its end. */
export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "not-started"; readonly why: string }
  /** It was ended: it took longer than it may. */
  | { readonly kind: "too-long" }
  /** It was ended: somebody wants everything to stop. */
  | { readonly kind: "stopped" };

/** What is run, and how long it may take. */
export interface ChildRun {
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes all that it prints; absolute. */
  readonly log: string;
  readonly limitMs: number;
  /** Aborts when everything is to stop. */
  readonly signal: AbortSignal;
}

/** A process that was asked to end has so long to write down what it has. */
const LEAVE_MS = 10_000;
const POSIX = process.platform !== "win32";

/** What runs now: whatever ends this process, being in groups of their own they would go on. */
const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) kill(child, "SIGKILL");
}

/** Runs a command in a process group of its own, to its end. What it started ends with it where it is ended. */
export async function runChild({ signal, limitMs, log, ...run }: ChildRun): Promise<Ending> {
  if (signal.aborted) return { kind: "stopped" };
  const output = openSync(log, "w");
  // A group of its own: what is typed at the terminal goes to whoever started it, and it ends this one in order.
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

/** Sends a signal to a process and, where there are groups, to all that it started. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (POSIX) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has just ended.
  }
}
