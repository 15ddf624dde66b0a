import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";

import { makeFolder } from "../lib/make-folder.ts";
import { displayPath } from "../lib/paths.ts";
import { systemReason } from "../lib/system-error.ts";
import { PRIVATE_MODE, writeWhole } from "../lib/write-whole.ts";
import { runChild, resultOf } from "./child.ts";
import {
  byText,
  FLEET_FILE,
  type Fleet,
  type FleetRun,
  fleetJson,
  type ShardNote,
} from "./fleet-file.ts";
import type { Group, FleetProfile } from "./profiles.ts";

export interface FleetOptions {
  readonly groups: readonly Group[];
  readonly shard?: ShardNote | undefined;
  /** The folder for the results, an absolute path. */
  readonly folder: string;
  /** The program and the arguments that start this command again. */
  readonly command: readonly [string, ...string[]];
  readonly args: readonly string[];
  /** Each run's seed is made of it and the run's name; without it each run draws its own. */
  readonly seed?: number | undefined;
  /** An absolute path: a folder with a baseline `<name>.yaml` for the runs that have one. */
  readonly baselines?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Number of groups that run at once. */
  readonly jobs: number;
  readonly timeout: number;
  /** Permissions of the files; default: for their owner alone. */
  readonly mode?: number | undefined;
  /** The results of an earlier call. Runs that are finished there do not run again. */
  readonly former?: Fleet | undefined;
  readonly signal: AbortSignal;
  /** Called when a run ends, with its duration in milliseconds. */
  readonly onResult: (run: FleetRun, durationMs: number) => void;
}

/** The folder below that of the results which holds a folder for each run. */
export const RUNS_FOLDER = "runs";
export const REPORT_FILE = "report.json";
const LOG_FILE = "log.txt";

/**
 * Runs every profile in a process of its own, those of a group one after another. Keeps `fleet.json` up to date.
 * @returns all results, including runs without one
 */
export async function runFleet(options: FleetOptions): Promise<Fleet> {
  const { groups, folder, jobs, shard, mode = PRIVATE_MODE } = options;
  const broken = new AbortController();
  const signal = AbortSignal.any([options.signal, broken.signal]);
  const results = new Map<string, FleetRun>();
  for (const { name } of groups.flat()) results.set(name, finished(name, options) ?? { name });
  const fleet = (): Fleet => ({ runs: [...results.values()], shard });
  makeFolder(folder);
  const write = (): Promise<void> => writeWhole(join(folder, FLEET_FILE), fleetJson(fleet()), mode);
  let written = write();
  await written;

  const queue = groups[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const group of queue) {
      for (const profile of group) {
        if (signal.aborted) return;
        if (isFinished(results.get(profile.name))) continue;
        const began = performance.now();
        const result = await runOne(profile, { ...options, signal });
        results.set(profile.name, result);
        if (isFinished(result)) options.onResult(result, performance.now() - began);
        // One write after another, so that the newest is the last.
        written = written.then(write);
        await written;
      }
    }
  };
  // An error here concerns no single run, for example a full disk.
  const endWith = (error: unknown): never => {
    broken.abort();
    throw error;
  };
  const ended = await Promise.allSettled(Array.from({ length: jobs }, () => work().catch(endWith)));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return { runs: fleet().runs.toSorted((a, b) => byText(a.name, b.name)), shard };
}

export function isFinished(run: FleetRun | undefined): boolean {
  return run?.verdict !== undefined || run?.error !== undefined;
}

/** The result of an earlier run, if its report still exists. */
function finished(name: string, { former, folder }: FleetOptions): FleetRun | undefined {
  const run = former?.runs.find((one) => one.name === name);
  const isThere = run?.report === undefined || existsSync(join(folder, run.report));
  return isFinished(run) && isThere ? run : undefined;
}

async function runOne({ name, file }: FleetProfile, options: FleetOptions): Promise<FleetRun> {
  const { folder, baselines, seed, timeout, cwd, signal, mode = PRIVATE_MODE } = options;
  const below = `${RUNS_FOLDER}/${name}`;
  const own = join(folder, below);
  const [report, log] = [join(own, REPORT_FILE), join(own, LOG_FILE)];
  try {
    makeFolder(own);
    // An existing report belongs to an earlier run.
    await rm(report, { force: true });
    await writeWhole(log, "", mode);
  } catch (error) {
    return { name, error: `its folder cannot be written to: ${systemReason(error)}` };
  }
  const baseline = baselines === undefined ? undefined : resolve(baselines, `${name}.yaml`);
  const args = [
    "run",
    // The path as the user would write it, because messages repeat it.
    `--profile=${displayPath(file, cwd)}`,
    `--out=${displayPath(own, cwd)}`,
    `--timeout=${timeout}`,
    ...(seed === undefined ? [] : [`--seed=${seedOf(seed, name)}`]),
    ...(baseline !== undefined && existsSync(baseline)
      ? [`--baseline=${displayPath(baseline, cwd)}`]
      : []),
    ...options.args,
  ];
  const [program, ...first] = options.command;
  const ending = await runChild({
    command: [program, ...first, ...args],
    cwd,
    env: environment(options.env),
    log,
    timeout,
    signal,
  });
  return resultOf(name, ending, { file: report, shown: `${below}/${REPORT_FILE}`, log });
}

/** A different seed for each run, the same in whichever shard it is. */
function seedOf(seed: number, name: string): number {
  return createHash("sha256").update(`${seed} ${name}`).digest().readUInt32BE();
}

/**
 * A run writes to a file, so it must not colour its output. It must not write a job summary for GitHub
 * Actions either, because each run would write one.
 */
function environment(env: FleetOptions["env"]): FleetOptions["env"] {
  const { GITHUB_ACTIONS: _actions, FORCE_COLOR: _color, ...others } = env;
  return { ...others, NO_COLOR: "1" };
}
