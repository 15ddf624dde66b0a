import { chmod, copyFile, constants } from "node:fs/promises";
import { dirname, join } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { realPath } from "../lib/paths.ts";
import { PRIVATE_MODE, writeWhole } from "../lib/write-whole.ts";
import { readReport } from "../report/read-report.ts";
import { changesSince } from "./changes.ts";
import { type Deployment, seenIn } from "./deployment.ts";
import { FLEET_FILE, fleetJson } from "./fleet-file.ts";
import { current, withHistory } from "./history.ts";
import { createOpenQuestions, type OpenQuestions } from "./open-questions.ts";
import { type MergedFleet, fleetPage } from "./page.ts";
import { verdictOf } from "./result.ts";
import { RUNS_FOLDER } from "./run-fleet.ts";
import type { FoundRun } from "./sources.ts";

/** The page that `merge` writes. */
export const PAGE_FILE = "fleet.html";

/**
 * Merges runs into one self-contained folder: `fleet.json`, `fleet.html` and a copy of each report.
 * @param folder an absolute path
 * @param since the runs of an earlier time, to compare with
 * @param mode permissions of the files; default: for their owner alone
 * @throws SuiteError when a file cannot be written
 */
export async function mergeRuns(
  runs: readonly FoundRun[],
  folder: string,
  since?: readonly FoundRun[],
  mode: number = PRIVATE_MODE,
): Promise<MergedFleet> {
  // The earlier runs may be in the same folder, so they are read before anything is written.
  const before = since && (await deploymentsOf(since));
  const questions = createOpenQuestions();
  try {
    const alone = new Set(runs.flatMap((one) => (one.alone ? [one.run.name] : [])));
    const deployments = withHistory(await deploymentsOf(runs, { folder, mode }, questions), alone);
    const now = current(deployments);
    const merged: MergedFleet = {
      deployments,
      earlier: before,
      open: questions.differences(new Set(now.map(({ run }) => run.name))),
      changes: before && changesSince(before, now),
    };
    makeFolder(folder);
    await writeWhole(
      join(folder, FLEET_FILE),
      fleetJson({ runs: deployments.map(({ run }) => run) }),
      mode,
    );
    await writeWhole(join(folder, PAGE_FILE), fleetPage(merged), mode);
    return merged;
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    if (code === undefined || cause instanceof SuiteError) throw cause;
    throw new SuiteError("ERR_REPORT", `The fleet cannot be written: ${message}`, { cause });
  }
}

/** Where copies of reports go, and their permissions. */
interface Copies {
  readonly folder: string;
  readonly mode: number;
}

/** One at a time, because a report may be large. */
async function deploymentsOf(
  runs: readonly FoundRun[],
  copies?: Copies,
  questions?: OpenQuestions,
): Promise<Deployment[]> {
  const deployments: Deployment[] = [];
  for (const run of runs) deployments.push(await deploymentOf(run, copies, questions));
  return deployments;
}

/** Copies one report, and extracts what the fleet needs of it. */
async function deploymentOf(
  { run: { name, verdict, error, replacedBy }, report }: FoundRun,
  copies: Copies | undefined,
  questions: OpenQuestions | undefined,
): Promise<Deployment> {
  if (report === undefined) return { run: { name, verdict, error } };
  const below = `${RUNS_FOLDER}/${name}/report.json`;
  let seen: Deployment["seen"];
  let own: ReturnType<typeof verdictOf>;
  try {
    const stored = readReport(report, "its report");
    own = verdictOf(stored);
    seen = seenIn(stored);
    if (error === undefined) questions?.add(name, stored.observations);
  } catch (cause) {
    // A verdict without its report is worth nothing.
    return { run: { name, error: error ?? (cause as Error).message } };
  }
  if (copies) await copyReport(report, join(copies.folder, below), copies.mode);
  const result = error === undefined ? { verdict: own } : { error };
  return { run: { name, ...result, report: below, replacedBy }, seen };
}

async function copyReport(from: string, to: string, mode: number): Promise<void> {
  if (realPath(from) === realPath(to)) return;
  makeFolder(dirname(to));
  // A copy-on-write copy, if the file system supports it.
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, mode);
}
