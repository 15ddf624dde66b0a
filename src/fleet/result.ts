import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import type { Verdict } from "../engine/events.ts";
import { SuiteError } from "../lib/errors.ts";
import { statsOf } from "../lib/paths.ts";
import { readReport } from "../report/read-report.ts";
import type { StoredReport } from "../report/stored.ts";
import { printable } from "../report/untrusted.ts";
import type { Ending } from "./child.ts";
import type { FleetRun } from "./fleet-file.ts";

/** Where a run has left what it has to say. */
export interface Traces {
  /** Its `report.json`, absolute. */
  readonly file: string;
  /** The same from the folder of `fleet.json`. */
  readonly shown: string;
  /** What it printed; absolute. */
  readonly log: string;
  /** Seconds that it might take. */
  readonly timeout: number;
}

/** What came of a run whose process has come to its end. */
export async function resultOf(name: string, ending: Ending, traces: Traces): Promise<FleetRun> {
  const { file, shown, timeout } = traces;
  const report = statsOf(file) ? shown : undefined;
  const failed = (error: string): FleetRun => ({ name, error, report });
  switch (ending.kind) {
    case "stopped":
      return { name };
    case "too-long":
      return failed(`it did not end within ${timeout} s, and was ended`);
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
        return { name, verdict: verdictOf(await readReport(file, shown)), report: shown };
      } catch (error) {
        return failed((error as Error).message);
      }
    }
  }
}

const VERDICTS: readonly Verdict[] = ["conformant", "non-conformant", "incomplete", "partial"];

/** @throws SuiteError where the report has a verdict that this version does not know */
export function verdictOf({ verdict }: StoredReport): Verdict {
  const known = VERDICTS.find((one) => one === verdict);
  if (known) return known;
  throw new SuiteError("ERR_REPORT", `its verdict, ${printable(verdict, 40)}, is none`);
}

/** Of a log and of a message. */
const TAIL_BYTES = 32 * 1024;
const LONGEST_ERROR = 2000;

/** What a run said last of why it could not run, as people are to see it; nothing where it said nothing. */
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
