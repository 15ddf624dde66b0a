import { LEVELS } from "../../../contract/levels.ts";
import type { Verdict } from "../../../engine/events.ts";
import { exitCode, type Gate } from "../../../engine/judge.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/words.ts";
import type { Report } from "../../../report/report.ts";
import type { RunFlags } from "./command.ts";

/**
 * What the flags accept and demand of a run.
 * @throws SuiteError when they contradict each other
 */
export function gateOf({ acceptIncomplete = false, require, failOn }: RunFlags): Gate {
  if (acceptIncomplete && require) {
    throw new SuiteError("ERR_FLAG", "--accept-incomplete and --require contradict each other", {
      hint: "Leave one of them out.",
    });
  }
  return {
    acceptIncomplete,
    requireConformant: require === "conformant",
    failOnWarn: failOn === "warn",
  };
}

/**
 * The exit code of a run, and why the gate alone made it another one than 0.
 * @param verdict that of the report, or beside its baseline
 */
export function passGate(
  report: Report,
  verdict: Verdict,
  gate: Gate,
): { readonly code: number; readonly why?: string } {
  const warnings = LEVELS.reduce((sum, level) => sum + report.counts[level].warn, 0);
  const code = exitCode({ ...report, verdict, warned: warnings > 0 }, gate);
  if (exitCode({ ...report, verdict }) === code) return { code };
  const why = {
    1: `--fail-on warn: ${counted(warnings, "case")} violated a SHOULD`,
    3: `--require conformant: the run is partial, because ${report.partialBecause.join("; ")}`,
  }[code as 1 | 3];
  return why === undefined ? { code } : { code, why: `The exit code is ${code} by ${why}.` };
}
