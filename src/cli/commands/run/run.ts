import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Worker } from "node:worker_threads";

import type { CommandChoices, RunChoices } from "../../../certify.ts";
import { annotations } from "../../../report/annotations.ts";
import { markdownSummary } from "../../../report/markdown.ts";
import { createProgress } from "../../../report/progress.ts";
import type { Report } from "../../../report/report.ts";
import { summary } from "../../../report/terminal.ts";
import { workflowCommand } from "../../../report/workflow-command.ts";
import { tellConsents } from "../../consents.ts";
import { explainError } from "../../explain-error.ts";
import { gateOf, passGate } from "../../gate.ts";
import { tellGitHub } from "../../github.ts";
import { INTERRUPTED, listenForStop, type CommandIo, wantsColor, startedAs } from "../../io.ts";
import { namedPacks } from "../../packs.ts";
import { checkFolder, REPORT_FILE, WHOLE_FILE, writeReports } from "../../report-files.ts";
import { type RunTarget, withRunTarget } from "../../run-target.ts";
import { sourceFiles } from "../../source-files.ts";
import { exploreOf } from "./explore-of.ts";
import { lastTime, noteOtherTarget } from "./failed.ts";
import type { RunFlags } from "./flags.ts";
import { knownFailures } from "./known-failures.ts";

/**
 * Implements `run`: finds the target, runs the rules against it, prints and writes the results.
 * @returns the exit code; errors are already printed
 */
export async function certify(
  baseUrl: string | undefined,
  flags: RunFlags,
  io: CommandIo,
  thread?: Worker,
): Promise<number> {
  const folder = resolve(io.cwd, flags.out);
  const { signal, stopListening } = listenForStop(io, "what was judged is being written.");
  const deadline = new AbortController();
  const { timeout } = flags;
  const timer =
    timeout === undefined ? undefined : setTimeout(() => deadline.abort(), timeout * 1000);
  const gate = gateOf(flags);
  let ran: { readonly report: Report; readonly update: () => Promise<void> };
  try {
    checkFolder(folder, flags.out);
    const known = knownFailures(flags, io);
    const last = flags.failed ? await lastTime(folder, flags, gate, io) : undefined;
    if (last && "code" in last) return last.code;
    const work = async (chosen: RunTarget): Promise<typeof ran> => {
      if (last) noteOtherTarget(last.report, chosen, io);
      const { rule: patterns, concurrency, bail } = flags;
      const seed = flags.seed ?? last?.seed;
      const packs = await namedPacks(flags.pack, flags.untrusted, io);
      const selected = {
        patterns,
        packs,
        only: last?.only,
        seed,
        concurrency,
        signal,
        deadline: deadline.signal,
        bail,
        isKnown: known.isKnown,
        explore: exploreOf(flags),
        out: flags.out,
      };
      const report = located(await runOn(chosen, selected, io), chosen, flags, io);
      return {
        report: await known.noted(report, chosen.target),
        update: () => known.update(report, chosen.target),
      };
    };
    // Loading the rules keeps this thread busy, so it begins when the thread of the document has its text.
    const onText = (): void => void loadRules();
    ran = await withRunTarget(baseUrl, flags, io, work, { signal, thread, onText });
  } catch (error) {
    const code = explainError(error, io);
    sayUnwritten(folder, flags, io);
    return signal.aborted ? INTERRUPTED : code;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
  const { report } = ran;
  const { code, why } = passGate(report, gate);
  const concluded = await conclude(report, code, folder, flags, io);
  if (why !== undefined && concluded === code) {
    io.stderr.write(`${why}\n`);
    const level = code === 0 ? "warning" : "error";
    io.workflow?.write(workflowCommand(level, { title: "Exit code", message: why }));
  }
  try {
    await ran.update();
    return concluded;
  } catch (error) {
    const failed = explainError(error, io);
    return concluded === INTERRUPTED ? concluded : failed;
  }
}

/** Loads the rules and what runs them: half of the code of a run. */
function loadRules(): Promise<typeof import("../../../certify.ts")> {
  return import("../../../certify.ts");
}

/** The report with the files that describe the target, if a format needs them. */
function located(
  report: Report,
  { target, profile }: RunTarget,
  { report: formats = [] }: RunFlags,
  { cwd }: CommandIo,
): Report {
  if (!formats.includes("sarif")) return report;
  return { ...report, target: { ...report.target, sources: sourceFiles(profile, target, cwd) } };
}

export async function runOn(
  { target, embedded, told }: RunTarget,
  {
    out,
    ...choices
  }: Omit<RunChoices & CommandChoices, "note" | "onEvent"> & {
    /** The folder of the report, as the user named it. Absent where none is written. */
    readonly out?: string | undefined;
  },
  io: CommandIo,
): Promise<Report> {
  const { stderr } = io;
  const command = startedAs(io);
  const note = { told, command, report: out && join(out, REPORT_FILE), embedded };
  const progress = createProgress(stderr, choices.isKnown);
  const { certifyTarget } = await loadRules();
  return certifyTarget(target, {
    ...choices,
    note,
    onEvent: progress,
    onConsent: tellConsents(stderr),
  });
}

/** Writes the reports and prints the summary, even if a report cannot be written. */
async function conclude(
  report: Report,
  code: number,
  folder: string,
  flags: RunFlags,
  io: CommandIo,
): Promise<number> {
  const show = (reportFiles?: readonly string[]): void => {
    const { columns } = io.stdout;
    const color = wantsColor(io.stdout, io.env);
    io.stdout.write(summary(report, { columns, color, reportFiles, verbose: flags.verbose }));
    tellGitHub(annotations(report), (bytes) => markdownSummary(report, bytes), io);
  };
  let keepsWhole: boolean;
  let left: number | undefined;
  let files: readonly string[];
  try {
    ({ keepsWhole, left, files } = await writeReports(
      folder,
      report,
      flags.report ?? [],
      flags.reportMode,
    ));
  } catch (error) {
    show();
    const failed = explainError(error, io);
    return code === INTERRUPTED ? code : failed;
  }
  show(files.map((file) => join(flags.out, file)));
  if (keepsWhole) {
    io.stderr.write(`The last whole run is kept in ${join(flags.out, WHOLE_FILE)}.\n`);
  }
  if (flags.failed && left === 0 && code !== INTERRUPTED) {
    io.stderr.write(
      "All that failed or was inconclusive has passed since. Run without --failed to judge everything.\n",
    );
  }
  return code;
}

/** Says that no report was written, so that nobody takes an earlier report for this run's. */
function sayUnwritten(folder: string, { out }: RunFlags, { stderr }: CommandIo): void {
  const former = existsSync(join(folder, REPORT_FILE));
  stderr.write(
    `No report was written${former ? `; ${join(out, REPORT_FILE)} is of an earlier run` : ""}.\n`,
  );
}
