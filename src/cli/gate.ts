import { type Ending, exitCode, type ExitCode, type Gate, worstExitCode } from "../engine/judge.ts";
import { counted } from "../lib/words.ts";
import { verdictBeside } from "../report/baseline.ts";
import { totals } from "../report/groups.ts";
import { type Report, withPacks } from "../report/report.ts";

/** The options of a command that passes or fails what was run. */
export interface GateFlags {
  readonly acceptIncomplete?: boolean;
  readonly require?: "conformant";
  readonly failOn?: "warn";
}

/** The gate that the options describe. */
export function gateOf({ acceptIncomplete = false, require, failOn }: GateFlags): Gate {
  return {
    acceptIncomplete,
    requireConformant: require === "conformant",
    failOnWarn: failOn === "warn",
  };
}

/** How a run passed its gate. */
interface Passage {
  readonly code: ExitCode;
  /** In one sentence: why the code is not the one that the verdict and the other options would have given. */
  readonly why?: string | undefined;
}

/** The exit code of a run, the worst of the contract's and those of its packs, and why its gate changed it. */
export function passGate(report: Report, gate: Gate): Passage {
  const passages = withPacks(report).map((one) => passOne(one, gate));
  const code = worstExitCode(passages.map((one) => one.code));
  return passages.find((one) => one.code === code) ?? { code };
}

function passOne(report: Report, gate: Gate): Passage {
  const warnings = totals(report).warn;
  const besideBaseline = report.baseline && verdictBeside(report, report.baseline);
  const ending: Ending = { ...report, besideBaseline, warned: warnings > 0 };
  const code = exitCode(ending, gate);
  const otherwise = exitCode(ending, { ...gate, requireConformant: false });
  if (code !== otherwise) return { code, why: requiredText(report, ending, code, otherwise) };
  if (code === exitCode(ending, { ...gate, failOnWarn: false })) return { code };
  const violated = `${counted(warnings, "case")} violated a SHOULD`;
  return { code, why: `The exit code is ${code} by --fail-on warn: ${violated}.` };
}

/** Why `--require conformant` made another exit code than the options beside it, and how to choose between them. */
function requiredText(
  { verdict, partialBecause, baseline }: Report,
  ending: Ending,
  code: ExitCode,
  otherwise: ExitCode,
): string {
  const by = `The exit code is ${code} by --require conformant`;
  const decides = `the verdict is ${verdict}, and --require goes by the verdict alone`;
  const withoutBaseline = exitCode({ ...ending, besideBaseline: undefined });
  if (baseline && withoutBaseline !== exitCode(ending)) {
    return `${by}, and would be ${otherwise} by --baseline ${baseline.file}: ${decides}. Leave out --require to let known failures pass, or --baseline to gate a release.`;
  }
  if (verdict === "partial") {
    return `${by}: the run is partial, because ${partialBecause.join("; ")}.`;
  }
  return `${by}, and would be ${otherwise} by --accept-incomplete: ${decides}. Leave out one of the two.`;
}
