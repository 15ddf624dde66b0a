import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import type { Verdict } from "../engine/events.ts";
import { SuiteError } from "../lib/errors.ts";
import { statsOf } from "../lib/paths.ts";
import { readReport } from "../report/read-report.ts";
import type { StoredReport } from "../report/stored.ts";
import { printable } from "../report/untrusted.ts";
import type { Ending } from "./child.ts";
import type { FleetRun } from "./fleet-file.ts";

/** The files that a run leaves behind. */
export interface Traces {
  /** Its `report.json`, an absolute path. */
  readonly file: string;
  /** The same file, relative to the folder of `fleet.json`. */
  readonly shown: string;
  /** Its output, an absolute path. */
  readonly log: string;
  /** Its time limit in seconds. */
  readonly timeout: number;
}

/** The result of a run whose process has ended. */
export function resultOf(name: string, ending: Ending, traces: Traces): FleetRun {
  const { file, shown, timeout } = traces;
  const report = statsOf(file) ? shown : undefined;
  const failed = (error: string): FleetRun => ({ name, error, report });
  switch (ending.kind) {
    case "stopped":
      return { name };
    case "too-long":
      return failed(`it did not finish within ${timeout} s and was stopped`);
    case "not-started":
      return failed(`it could not be started: ${ending.why}`);
    case "signalled":
      return failed(`it crashed: ${ending.signal}`);
    case "exited": {
      const { code } = ending;
      if (code === 2) return failed(lastError(traces.log) ?? "it could not run");
      if (code === 130) return failed("it was interrupted");
      if (code !== 0 && code !== 1 && code !== 3) return failed(`it crashed: exit code ${code}`);
      try {
        return { name, verdict: verdictOf(readReport(file, shown)), report: shown };
      } catch (error) {
        return failed((error as Error).message);
      }
    }
  }
}

const VERDICTS: readonly Verdict[] = ["conformant", "non-conformant", "incomplete", "partial"];

/** The verdict of a report. Throws SuiteError when this version does not know the verdict. */
export function verdictOf({ verdict }: StoredReport): Verdict {
  const known = VERDICTS.find((one) => one === verdict);
  if (known) return known;
  throw new SuiteError("ERR_REPORT", `its verdict, ${printable(verdict, 40)}, is unknown`);
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
