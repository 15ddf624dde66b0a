import { readdirSync } from "node:fs";
import { chmod, copyFile, constants } from "node:fs/promises";
import { dirname, join, basename, resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { realPath, statsOf } from "../lib/paths.ts";
import { systemReason } from "../lib/system-error.ts";
import { PRIVATE_MODE, writeWhole } from "../lib/write-whole.ts";
import { readReport } from "../report/read-report.ts";
import { storedWithPacks } from "../report/stored.ts";
import { type Deployment, seenIn } from "./deployment.ts";
import {
  FLEET_FILE,
  fleetJson,
  byText,
  type FleetRun,
  isRunName,
  readFleet,
} from "./fleet-file.ts";
import { changesSince, current, withHistory } from "./history.ts";
import { createOpenQuestions, type OpenQuestions } from "./open-questions.ts";
import { type MergedFleet, fleetPage } from "./page.ts";
import { REPORT_FILE, RUNS_FOLDER } from "./run-fleet.ts";

/** The page that `merge` writes. */
export const PAGE_FILE = "fleet.html";

/**
 * Merges runs into one self-contained folder: `fleet.json`, `fleet.html` and a copy of each report.
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
    const deployments = withHistory(await deploymentsOf(runs, { folder, mode, questions }), alone);
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
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined || cause instanceof SuiteError) throw cause;
    throw new SuiteError("ERR_REPORT", `The fleet cannot be written: ${systemReason(cause)}`, {
      cause,
    });
  }
}

/** Where copies of the reports go, and what they show of open questions. */
interface Merging {
  readonly folder: string;
  readonly mode: number;
  readonly questions: OpenQuestions;
}

/** One at a time, because a report may be large. */
async function deploymentsOf(runs: readonly FoundRun[], merging?: Merging): Promise<Deployment[]> {
  const deployments: Deployment[] = [];
  for (const run of runs) deployments.push(await deploymentOf(run, merging));
  return deployments;
}

/** Extracts what the fleet needs of one report, and copies it. */
async function deploymentOf(
  { run: { name, verdict, packs, error, replacedBy }, report }: FoundRun,
  merging: Merging | undefined,
): Promise<Deployment> {
  if (report === undefined) return { run: { name, verdict, packs, error } };
  const below = `${RUNS_FOLDER}/${name}/${REPORT_FILE}`;
  let seen: ReturnType<typeof seenIn>;
  try {
    const stored = readReport(report, "its report");
    seen = seenIn(stored);
    const observations = storedWithPacks(stored).flatMap((part) => part.observations);
    if (error === undefined) merging?.questions.add(name, observations);
  } catch (cause) {
    // A verdict without its report is worth nothing.
    return { run: { name, error: error ?? (cause as Error).message } };
  }
  if (merging) await copyReport(report, join(merging.folder, below), merging.mode);
  const result = error === undefined ? { verdict: seen.verdict, packs: seen.packs } : { error };
  return { run: { name, ...result, report: below, replacedBy }, seen };
}

async function copyReport(from: string, to: string, mode: number): Promise<void> {
  if (realPath(from) === realPath(to)) return;
  makeFolder(dirname(to));
  // A copy-on-write copy, if the file system supports it.
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, mode);
}

/** A run, and the path of its report. */
interface FoundRun {
  readonly run: FleetRun;
  /** An absolute path; absent without a report. */
  readonly report?: string | undefined;
  /** Whether its report was named itself, and not in a `fleet.json`. Default: false. */
  readonly alone?: boolean | undefined;
  /** The source as the user named it. */
  readonly source: string;
}

/**
 * The runs in several folders and files, sorted by name. Includes the runs that a shard names but no source contains,
 * without a result.
 * @param sources folders of `fleet` or `merge`, folders of such folders, `fleet.json` files, reports or their folders
 * @param cwd an absolute path; relative sources start here
 * @throws SuiteError when a source is none of these, or two runs have the same name
 */
export function findRuns(sources: readonly string[], cwd: string): readonly FoundRun[] {
  const runs = new Map<string, FoundRun>();
  const expected = new Set<string>();
  for (const source of sources) {
    for (const [file, shown] of filesIn(resolve(cwd, source), source)) {
      if (!basename(file).endsWith(FLEET_FILE)) {
        add(runs, singleReport(file, shown));
        continue;
      }
      const { runs: own, shard } = readFleet(file, shown);
      for (const run of own) {
        const report = run.report === undefined ? undefined : resolve(dirname(file), run.report);
        add(runs, { run, report, source: shown });
      }
      for (const name of shard?.others ?? []) expected.add(name);
    }
  }
  for (const name of expected) {
    if (!runs.has(name)) runs.set(name, { run: { name }, source: "a shard that is missing" });
  }
  return [...runs.values()].toSorted((a, b) => byText(a.run.name, b.run.name));
}

function add(runs: Map<string, FoundRun>, one: FoundRun): void {
  const { name } = one.run;
  const other = runs.get(name);
  if (other) {
    throw new SuiteError(
      "ERR_REPORT",
      `There are two results of ${name}: in ${other.source} and in ${one.source}`,
      { hint: "Each run may occur only once. Leave out the folder of the earlier results." },
    );
  }
  runs.set(name, one);
}

/** The files of a source that contain results, each with its name for the user. */
function filesIn(
  path: string,
  source: string,
): readonly (readonly [file: string, shown: string])[] {
  const found = statsOf(path);
  if (!found) throw new SuiteError("ERR_REPORT", `${source} does not exist`);
  if (!found.isDirectory()) return [[path, source]];
  const own = fileIn(path);
  if (own !== undefined) return [[own, source]];
  const below = readdirSync(path)
    .toSorted(byText)
    .flatMap((name) => {
      const file = fileIn(join(path, name));
      return file === undefined ? [] : [[file, join(source, name)] as const];
    });
  if (below.length > 0) return below;
  throw new SuiteError(
    "ERR_REPORT",
    `${source} holds neither ${FLEET_FILE} nor ${REPORT_FILE}, nor do its folders`,
    { hint: "Name a folder that `fleet --out` or `run --out` wrote." },
  );
}

/** The file in a folder that contains the results. */
function fileIn(folder: string): string | undefined {
  return [FLEET_FILE, REPORT_FILE]
    .map((name) => join(folder, name))
    .find((file) => statsOf(file)?.isFile());
}

/** The report of a single run, named after its folder, or its file if not report.json. */
function singleReport(file: string, source: string): FoundRun {
  const name = basename(file) === REPORT_FILE ? basename(dirname(file)) : basename(file, ".json");
  if (!isRunName(name)) {
    throw new SuiteError("ERR_REPORT", `${source} does not give the run a name`, {
      hint: "A report is named after its folder, so put it into one.",
    });
  }
  return { run: { name, report: REPORT_FILE }, report: file, alone: true, source };
}
