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

/** A run, and where its report is. */
export interface FoundRun {
  readonly run: FleetRun;
  /** Absolute; absent where it has none. */
  readonly report?: string | undefined;
  /** What the person named. */
  readonly source: string;
}

/** The file that every run writes into its folder. */
const REPORT_FILE = "report.json";

/**
 * The runs of several folders and files, by name. Those that a shard knows of and nobody has are among them, without a result.
 * @param sources folders of `fleet` or `merge`, folders of these, `fleet.json` files, reports or their folders
 * @param cwd absolute; relative sources start here
 * @throws SuiteError when one of them is nothing of that, or two runs are called the same
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
    if (!runs.has(name)) runs.set(name, { run: { name }, source: "no shard that is here" });
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
      { hint: "Each run may be there once. Leave out the folder that is of an earlier time." },
    );
  }
  runs.set(name, one);
}

/** What one file or folder holds. */
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
    { hint: "Name what `fleet --out` or `run --out` has written." },
  );
}

/** The file of a folder that says what came of it. */
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

/** The report of a single run has the name of its folder, or of its file where that is not report.json. */
function singleReport(file: string, source: string): FoundRun {
  const name = basename(file) === REPORT_FILE ? basename(dirname(file)) : basename(file, ".json");
  if (!isRunName(name)) {
    throw new SuiteError("ERR_REPORT", `${source} does not say what the run is called`, {
      hint: "A report has the name of its folder; put it into one.",
    });
  }
  return { run: { name, report: REPORT_FILE }, report: file, source };
}
