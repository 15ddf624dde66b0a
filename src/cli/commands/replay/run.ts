import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { exitCode, verdictOf } from "../../../engine/judge.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { isLoopbackHost } from "../../../lib/uri.ts";
import { createPage } from "../../../report/layout.ts";
import { readReport } from "../../../report/read-report.ts";
import { replayPage } from "../../../report/replay-page.ts";
import { casesOf, type Report, withPacks } from "../../../report/report.ts";
import { type StoredCase, type StoredReport, storedWithPacks } from "../../../report/stored.ts";
import { printable } from "../../../report/untrusted.ts";
import { listenForStop, type CommandIo, wantsColor } from "../../io.ts";
import { namedPacks } from "../../packs.ts";
import { pick } from "../../pick.ts";
import { profileFile } from "../../profile-file.ts";
import { checkFolder, WHOLE_FILE, writeReports } from "../../report-files.ts";
import { type RunTarget, withRunTarget } from "../../run-target.ts";
import { noteOtherTarget, withProvokers } from "../run/failed.ts";
import { runOn } from "../run/run.ts";
import type { ReplayFlags } from "./flags.ts";
import { watch } from "./watch.ts";

/**
 * Runs one case of a report again, as an ordinary run of that case alone, and prints it. With `--watch` it does so whenever files change.
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
  const picked = pickCase(file, wanted, io);
  const { watch: folder, watchWrites = false } = flags;
  if (folder === undefined) {
    if (!watchWrites) return replayOnce(picked, baseUrl, flags, io);
    throw new SuiteError("ERR_FLAG", "--watch-writes has no meaning without --watch");
  }
  const attempt = (own: ReplayFlags): Promise<number> => replayOnce(picked, baseUrl, own, io);
  if (watchWrites || flags.readOnly) return watch(folder, flags, attempt, io);
  const read = async (own: ReplayFlags): Promise<number> => {
    try {
      return await attempt({ ...own, readOnly: true });
    } catch (error) {
      const isWrite =
        error instanceof SuiteError && error.message.endsWith("needs a PATCH or POST");
      throw isWrite ? unwatched(picked) : error;
    }
  };
  return watch(folder, flags, read, io);
}

function unwatched({ id }: PickedCase): SuiteError {
  return new SuiteError("ERR_FLAG", `${id} needs a PATCH or POST, and --watch sends reads alone`, {
    hint: "Add --watch-writes to send its writes whenever a file changes.",
  });
}

async function replayOnce(
  { report: before, id, packs }: PickedCase,
  baseUrl: string | undefined,
  flags: ReplayFlags,
  io: CommandIo,
): Promise<number> {
  const folder = flags.out === undefined ? undefined : resolve(io.cwd, flags.out);
  if (folder !== undefined) checkFolder(folder, flags.out ?? "");
  const { signal, stopListening } = listenForStop(io, "the case was not judged.");
  try {
    const work = async (chosen: RunTarget): Promise<Report> => {
      noteOtherTarget(before, chosen, io);
      const only = { names: withProvokers(before, [id]), what: id };
      // Only the pack of the case runs, whatever the profile names.
      const named = await namedPacks(flags.pack ?? packs, flags.untrusted, io);
      return runOn(chosen, { only, packs: named, seed: before.seed, out: flags.out, signal }, io);
    };
    const url = baseUrl ?? baseUrlOf(before, flags, io);
    const ran = await withRunTarget(url, flags, io, work, { signal });
    if (folder !== undefined) await writeReports(folder, ran, [], flags.reportMode);
    const isIn = (part: Report): boolean => casesOf(part).some((one) => one.id === id);
    const report = withPacks(ran).find(isIn) ?? ran;
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
 * The report that has the case: the named one, or that of the last whole run beside it. For a case of a pack it is the pack's, and
 * `packs` has its name.
 * @throws SuiteError when neither can be used
 */
function pickCase(file: string, wanted: string, { cwd }: CommandIo): PickedCase {
  const from = (shown: string): PickedCase => {
    const whole = readReport(resolve(cwd, shown), shown);
    const parts = storedWithPacks(whole);
    const ids = parts.flatMap((part) => casesOf(part).map((one) => one.id));
    const id = pick(ids, wanted, "case", `in ${shown}`);
    const packs = (whole.packs ?? []).filter((pack) => id.startsWith(`${pack.id}.`));
    const report = parts.find((part) => casesOf(part).some((one) => one.id === id)) ?? whole;
    return { report, id, packs: packs.map((pack) => pack.id) };
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

interface PickedCase {
  readonly report: StoredReport;
  readonly id: string;
  readonly packs: readonly string[];
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
