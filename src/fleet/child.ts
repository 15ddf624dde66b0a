import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { closeSync, openSync, fstatSync, readSync } from "node:fs";

import type { Verdict } from "../engine/events.ts";
import { SuiteError } from "../lib/errors.ts";
import { statsOf } from "../lib/paths.ts";
import { systemReason } from "../lib/system-error.ts";
import { readReport } from "../report/read-report.ts";
import type { StoredReport } from "../report/stored.ts";
import { printable } from "../report/untrusted.ts";
import type { FleetRun, PackResult } from "./fleet-file.ts";

/** How a process ended: by its exit code, by trouble, or because the user stopped the fleet. */
type Ending = { readonly code: number } | { readonly trouble: string } | "stopped";

/** The command to run, and its limits. */
interface ChildRun {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file for all its output, an absolute path. */
  readonly log: string;
  /** In seconds. A run knows this limit, and ends by itself. */
  readonly timeout: number;
  /** Aborts when everything must stop. */
  readonly signal: AbortSignal;
}

/** Time for a process to write its results after its limit. */
const GRACE_MS = 30_000;
/** Time for a process to write its results after it was asked to end. */
const LEAVE_MS = 10_000;
const POSIX = process.platform !== "win32";

/** The running processes. Their groups would survive this process, so they are ended with it. */
const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) kill(child, "SIGKILL");
}

/** Runs a command in its own process group, and ends the whole group if it must be ended. */
export async function runChild({ signal, timeout, log, ...run }: ChildRun): Promise<Ending> {
  if (signal.aborted) return "stopped";
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
    let ended: Ending | undefined;
    let leave: NodeJS.Timeout | undefined;
    const limit = setTimeout(
      () => {
        ended ??= { trouble: `it did not finish within ${timeout} s and was stopped` };
        kill(child, "SIGKILL");
      },
      timeout * 1000 + GRACE_MS,
    );
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
      resolve(ended ?? ending);
    };
    signal.addEventListener("abort", stop);
    if (running.size === 0) process.on("exit", endAll);
    running.add(child);
    child.once("error", (error) => {
      if (child.pid === undefined)
        settle({ trouble: `it could not be started: ${systemReason(error)}` });
    });
    child.once("exit", (code, by) => {
      settle(code === null ? { trouble: `it crashed: ${by ?? "a signal"}` } : { code });
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

interface Traces {
  /** Its `report.json`, an absolute path. */
  readonly file: string;
  /** Its `report.json`, relative to the folder of `fleet.json`. */
  readonly shown: string;
  /** Its output, an absolute path. */
  readonly log: string;
}

export function resultOf(name: string, ending: Ending, { file, shown, log }: Traces): FleetRun {
  if (ending === "stopped") return { name };
  const report = statsOf(file) ? shown : undefined;
  const trouble = "trouble" in ending ? ending.trouble : troubleOf(ending.code, log);
  if (trouble !== undefined) return { name, error: trouble, report };
  try {
    const found = readReport(file, shown);
    return { name, verdict: verdictOf(found), packs: packsOf(found), report: shown };
  } catch (error) {
    return { name, error: (error as Error).message, report };
  }
}

/** Why a run with this exit code has no verdict; `undefined` if it has one. */
function troubleOf(code: number, log: string): string | undefined {
  switch (code) {
    case 0:
    case 1:
    case 3:
      return undefined;
    case 2:
      return lastError(log) ?? "it could not run";
    case 130:
      return "it was interrupted";
    default:
      return `it crashed: exit code ${code}`;
  }
}

const VERDICTS: readonly Verdict[] = ["conformant", "non-conformant", "incomplete", "partial"];

/** The verdict of a report. Throws SuiteError when this version does not know the verdict. */
export function verdictOf({ verdict }: Pick<StoredReport, "verdict">): Verdict {
  const known = VERDICTS.find((one) => one === verdict);
  if (known) return known;
  throw new SuiteError("ERR_REPORT", `its verdict, ${printable(verdict, 40)}, is unknown`);
}

/**
 * The verdicts on the packs of a report; `undefined` without any.
 * @throws SuiteError when this version does not know one
 */
export function packsOf({ packs }: StoredReport): readonly PackResult[] | undefined {
  return packs?.map((pack) => {
    const { id, version, title } = pack;
    return { id, version, title, verdict: verdictOf(pack) };
  });
}

/** Bytes that are read of a log, and shown of a message. */
const TAIL_BYTES = 32 * 1024;
const LONGEST_ERROR = 2000;

/** The last error that a run printed, for display; `undefined` if it printed none. */
function lastError(log: string): string | undefined {
  const [, said] = /[^]*^error: ([^]*)/m.exec(tail(log)) ?? [];
  const lines = said
    ?.split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("No report was written"));
  return lines && printable(lines.join(" "), LONGEST_ERROR);
}

function tail(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, from));
  } finally {
    closeSync(descriptor);
  }
}
