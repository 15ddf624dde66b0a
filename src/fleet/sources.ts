import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { statsOf } from "../lib/paths.ts";
import {
  byText,
  FLEET_FILE,
  type FleetRun,
  isRunName,
  readFleet,
  type ShardNote,
} from "./fleet-file.ts";

/** A run, and the path of its report. */
export interface FoundRun {
  readonly run: FleetRun;
  /** An absolute path; absent without a report. */
  readonly report?: string | undefined;
  /** Whether its report was named itself, and not in a `fleet.json`. Default: false. */
  readonly alone?: boolean | undefined;
  /** The source as the user named it. */
  readonly source: string;
}

/** The file that every run writes into its folder. */
const REPORT_FILE = "report.json";

/**
 * The runs in several folders and files, sorted by name. Includes the runs that a shard names but no source
 * contains, without a result.
 * @param sources folders of `fleet` or `merge`, folders of such folders, `fleet.json` files, reports or
 * their folders
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

/** The content of one file or folder. */
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
