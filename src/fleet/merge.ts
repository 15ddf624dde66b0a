import { readdirSync } from "node:fs";
import { chmod, copyFile, constants } from "node:fs/promises";
import { dirname, join, basename, resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { realPath, statsOf } from "../lib/paths.ts";
import { PRIVATE_MODE, writeWhole } from "../lib/write-whole.ts";
import { readReport } from "../report/read-report.ts";
import { type Deployment, seenIn } from "./deployment.ts";
import {
  FLEET_FILE,
  fleetJson,
  byText,
  type FleetRun,
  isRunName,
  readFleet,
  type ShardNote,
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
  const below = `${RUNS_FOLDER}/${name}/${REPORT_FILE}`;
  let seen: ReturnType<typeof seenIn>;
  try {
    const stored = readReport(report, "its report");
    seen = seenIn(stored);
    if (error === undefined) questions?.add(name, stored.observations);
  } catch (cause) {
    // A verdict without its report is worth nothing.
    return { run: { name, error: error ?? (cause as Error).message } };
  }
  if (copies) await copyReport(report, join(copies.folder, below), copies.mode);
  const result = error === undefined ? { verdict: seen.verdict } : { error };
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
    for (const { found, shard } of partsOf(resolve(cwd, source), source)) {
      for (const one of found) add(runs, one);
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

interface Part {
  readonly found: readonly FoundRun[];
  readonly shard?: ShardNote | undefined;
}

function partsOf(path: string, source: string): readonly Part[] {
  const found = statsOf(path);
  if (!found) throw new SuiteError("ERR_REPORT", `${source} does not exist`);
  if (!found.isDirectory()) return [partOf(path, source)];
  const own = fileIn(path);
  if (own !== undefined) return [partOf(own, source)];
  const below = readdirSync(path)
    .toSorted(byText)
    .flatMap((name) => {
      const file = fileIn(join(path, name));
      return file === undefined ? [] : [partOf(file, join(source, name))];
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

function partOf(file: string, source: string): Part {
  if (!basename(file).endsWith(FLEET_FILE)) return { found: [singleReport(file, source)] };
  const { runs, shard } = readFleet(file, source);
  const found = runs.map((run) => ({
    run,
    report: run.report === undefined ? undefined : resolve(dirname(file), run.report),
    source,
  }));
  return { found, shard };
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
