import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { exitCode, verdictOf } from "../../../engine/judge.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { isLoopbackHost } from "../../../lib/uri.ts";
import { createPage } from "../../../report/layout.ts";
import { readReport } from "../../../report/read-report.ts";
import { replayPage } from "../../../report/replay-page.ts";
import { casesOf, type Report } from "../../../report/report.ts";
import type { StoredCase, StoredReport } from "../../../report/stored.ts";
import { printable } from "../../../report/untrusted.ts";
import { listenForStop, type CommandIo, wantsColor } from "../../io.ts";
import { pick } from "../../pick.ts";
import { profileFile } from "../../profile-file.ts";
import { checkFolder, WHOLE_FILE, writeReports } from "../../report-files.ts";
import { type RunTarget, withRunTarget } from "../../run-target.ts";
import { noteOtherTarget, withProvokers } from "../run/failed.ts";
import { runOn } from "../run/run.ts";
import type { ReplayFlags } from "./flags.ts";

/**
 * Runs one case of a report again, as an ordinary run of that case alone, and prints it.
 * @returns the exit code of `run` for the case
 * @throws SuiteError when the report or the case cannot be used, or the target cannot be found or reached
 */
export async function replay(
  file: string,
  wanted: string,
  baseUrl: string | undefined,
  flags: ReplayFlags,
  io: CommandIo,
): Promise<number> {
  const { report: before, id } = pickCase(file, wanted, io);
  const folder = flags.out === undefined ? undefined : resolve(io.cwd, flags.out);
  if (folder !== undefined) checkFolder(folder, flags.out ?? "");
  const { signal, stopListening } = listenForStop(io, "the case was not judged.");
  try {
    const work = (chosen: RunTarget): Promise<Report> => {
      noteOtherTarget(before, chosen, io);
      const only = { names: withProvokers(before, [id]), what: id };
      return runOn(chosen, { only, seed: before.seed, out: flags.out, signal }, io);
    };
    const url = baseUrl ?? baseUrlOf(before, flags, io);
    const report = await withRunTarget(url, flags, io, work, { signal });
    if (folder !== undefined) await writeReports(folder, report, [], flags.reportMode);
    const own = casesOf(report).filter((one) => one.id === id);
    if (own.length > 0) {
      const page = createPage(io.stdout.columns, wantsColor(io.stdout, io.env));
      const { startedAt, seed } = before;
      const one = casesOf(before).find((former) => former.id === id);
      const then = { one: one as StoredCase, startedAt, seed };
      io.stdout.write(replayPage(page, report, id, then));
    }
    const verdict = verdictOf(own, own.length === 0 ? 1 : 0);
    return exitCode({ ...report, verdict });
  } finally {
    stopListening();
  }
}

/**
 * The report that has the case: the named one, or that of the last whole run beside it.
 * @throws SuiteError when neither can be used
 */
function pickCase(
  file: string,
  wanted: string,
  { cwd }: CommandIo,
): { readonly report: StoredReport; readonly id: string } {
  const from = (shown: string): { report: StoredReport; id: string } => {
    const report = readReport(resolve(cwd, shown), shown);
    const ids = casesOf(report).map((one) => one.id);
    return { report, id: pick(ids, wanted, "case", `in ${shown}`) };
  };
  try {
    return from(file);
  } catch (error) {
    const whole = join(dirname(file), WHOLE_FILE);
    const isMissing = error instanceof SuiteError && error.code === "ERR_NO_MATCH";
    if (!isMissing || !existsSync(resolve(cwd, whole))) throw error;
    return from(whole);
  }
}

/**
 * The base URL of the report. It is used only without a profile, when the target outlived its run and is on
 * this machine.
 * @throws SuiteError for another machine: a report may come from anyone, and tokens would go where it says
 */
function baseUrlOf(
  { target }: StoredReport,
  flags: ReplayFlags,
  { cwd }: CommandIo,
): string | undefined {
  const told = profileFile(flags.profile, cwd) !== undefined;
  if (told || target.embedded) return undefined;
  const { baseUrl } = target;
  if (URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname)) return baseUrl;
  throw new SuiteError(
    "ERR_REPORT",
    `The report names ${printable(baseUrl, 200)}, but a report alone does not permit sending tokens there`,
    { hint: "Name the profile of the deployment with --profile." },
  );
}
