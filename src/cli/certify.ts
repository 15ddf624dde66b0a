import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { RULES } from "../../suites/index.ts";
import type { RunFinished } from "../engine/events.ts";
import { exitCode } from "../engine/judge.ts";
import { planRun } from "../engine/plan.ts";
import { run } from "../engine/run.ts";
import type { Target } from "../profile/target.ts";
import { createJsonReport } from "../report/json.ts";
import { createProgress } from "../report/progress.ts";
import type { Report } from "../report/report.ts";
import { summary } from "../report/terminal.ts";
import { explainError } from "./explain-error.ts";
import { type CommandIo, wantsColor } from "./io.ts";
import { printPlan } from "./plan.ts";
import { checkFolder, REPORT_FILE, writeReports } from "./report-files.ts";
import type { RunFlags } from "./run.ts";
import { findSubject } from "./subject.ts";

const SEEDS = 2 ** 32;
const INTERRUPTED = 130;

/**
 * What `run` does: finds the target, runs the rules against it, shows and writes what came of it.
 * @returns the exit code; what went wrong has been said then
 */
export async function certify(
  baseUrl: string | undefined,
  flags: RunFlags,
  io: CommandIo,
): Promise<number> {
  const folder = resolve(io.cwd, flags.out);
  const json = createJsonReport();
  const interrupt = new AbortController();
  const stopListening = io.onStop(() => {
    if (interrupt.signal.aborted) return io.exit(INTERRUPTED);
    interrupt.abort();
    io.stderr.write("\nInterrupted: what was judged is being written. Once more exits at once.\n");
  });
  let finished: RunFinished;
  try {
    checkFolder(folder, flags.out);
    finished = await withSubject(baseUrl, flags, io, (target) => {
      const progress = createProgress(io.stderr);
      return run({
        target,
        rules: RULES,
        patterns: flags.rule,
        seed: flags.seed ?? randomInt(SEEDS),
        concurrency: flags.concurrency,
        signal: interrupt.signal,
        emit(event) {
          json.on(event);
          progress(event);
        },
      });
    });
  } catch (error) {
    const code = explainError(error, io);
    sayUnwritten(folder, flags, io);
    return interrupt.signal.aborted ? INTERRUPTED : code;
  } finally {
    stopListening();
  }
  const code = exitCode({ ...finished, acceptIncomplete: flags.acceptIncomplete ?? false });
  return conclude(json.report(), code, folder, flags, io);
}

/**
 * What `run --dry-run` does: prints the plan.
 * @throws UserError where `run` could not begin
 */
export async function planOnly(
  baseUrl: string | undefined,
  flags: RunFlags,
  io: CommandIo,
): Promise<void> {
  await withSubject(baseUrl, flags, io, (target) =>
    printPlan(io.stdout, target, planRun(target, RULES, flags.rule ?? [])),
  );
}

async function withSubject<T>(
  baseUrl: string | undefined,
  flags: RunFlags,
  io: CommandIo,
  use: (target: Target) => T | Promise<T>,
): Promise<T> {
  const subject = await findSubject(baseUrl, flags, io);
  try {
    if (subject.note !== undefined) io.stderr.write(`${subject.note}\n`);
    return await use(subject.target);
  } finally {
    await subject.close();
  }
}

/** Writes the reports and shows the summary, which is not lost with them. */
async function conclude(
  report: Report,
  code: number,
  folder: string,
  flags: RunFlags,
  io: CommandIo,
): Promise<number> {
  const show = (reportFile?: string): void => {
    const { columns } = io.stdout;
    const color = wantsColor(io.stdout, io.env);
    io.stdout.write(summary(report, { columns, color, reportFile }));
  };
  try {
    await writeReports(folder, report, flags.report ?? []);
  } catch (error) {
    show();
    const failed = explainError(error, io);
    return code === INTERRUPTED ? code : failed;
  }
  show(join(flags.out, REPORT_FILE));
  return code;
}

/** Nobody shall take the report of an earlier run for this one's. */
function sayUnwritten(folder: string, { out }: RunFlags, { stderr }: CommandIo): void {
  const former = existsSync(join(folder, REPORT_FILE));
  stderr.write(
    `No report was written${former ? `; ${join(out, REPORT_FILE)} is of an earlier run` : ""}.\n`,
  );
}
