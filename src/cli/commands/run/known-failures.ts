import { resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import { counted } from "../../../lib/words.ts";
import type { Target } from "../../../profile/target.ts";
import {
  compareWithBaseline,
  isUnwritten,
  type KnownFailure,
  mayFail,
  updatedBaseline,
} from "../../../report/baseline.ts";
import type { BaselineNote, Report } from "../../../report/report.ts";
import type { CommandIo } from "../../io.ts";
import { readBaseline, writeBaseline } from "./baseline-file.ts";
import type { RunFlags } from "./command.ts";

const USUAL_FILE = "known.yaml";

/** The effect of the flags `--baseline` and `--write-baseline`. */
export interface KnownFailures {
  /** Whether `--baseline` allows a case to fail today; absent without that flag. */
  readonly isKnown?: ((caseId: string) => boolean) | undefined;
  /** The run compared with `--baseline`; `undefined` without that flag. */
  note(report: Report, target: Target): BaselineNote | undefined;
  /**
   * Writes the file of `--write-baseline`, and prints a note about it.
   * @throws SuiteError when the file cannot be written
   */
  update(report: Report, target: Target): Promise<void>;
}

/**
 * Reads the known failures before a run.
 * @throws SuiteError when a file cannot be used
 */
export function knownFailures(
  { baseline, writeBaseline: write }: Pick<RunFlags, "baseline" | "writeBaseline">,
  { cwd, stderr }: Pick<CommandIo, "cwd" | "stderr">,
): KnownFailures {
  const toWrite = write === true ? (baseline ?? USUAL_FILE) : write;
  const unwritten = toWrite !== undefined;
  const read = (file: string, optional = false): readonly KnownFailure[] =>
    readBaseline(file, cwd, { unwritten, optional });
  const entries = baseline === undefined ? [] : read(baseline, baseline === toWrite);
  const former = toWrite === undefined ? [] : read(toWrite, true);
  const today = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
  return {
    ...(baseline !== undefined && { isKnown: (id) => mayFail(id, entries, today) }),
    note: (report, target) =>
      baseline === undefined
        ? undefined
        : compareWithBaseline(baseline, entries, report, caseIdsOf(target)),
    async update(report, target) {
      // A partial run does not show which failures are known.
      if (toWrite === undefined || report.interrupted || report.suiteErrors.length > 0) return;
      const known = updatedBaseline(former, report, caseIdsOf(target));
      await writeBaseline(resolve(cwd, toWrite), toWrite, known);
      const open = known.filter(({ reason }) => isUnwritten(reason)).length;
      const wanted = open > 0 ? `; write down why for ${open} of them` : "";
      stderr.write(`${toWrite} holds ${counted(known.length, "known failure")}${wanted}.\n`);
    },
  };
}

function caseIdsOf(target: Target): string[] {
  return RULES.flatMap((rule) => rule.cases(target).map(({ id }) => `${rule.id}/${id}`));
}
