import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { displayPath } from "../lib/paths.ts";
import { writeWhole } from "../lib/write-whole.ts";
import { runChild } from "./child.ts";
import {
  byText,
  FLEET_FILE,
  type Fleet,
  type FleetRun,
  fleetJson,
  type ShardNote,
} from "./fleet-file.ts";
import type { Group } from "./groups.ts";
import type { FleetProfile } from "./profiles.ts";
import { resultOf } from "./result.ts";

/** What is run, and how. */
export interface FleetOptions {
  readonly groups: readonly Group[];
  readonly shard?: ShardNote | undefined;
  /** Absolute; results go here. */
  readonly folder: string;
  /** Program and arguments that start this command anew. */
  readonly command: readonly [string, ...string[]];
  /** The arguments of `run` that all have. */
  readonly args: readonly string[];
  /** Each run's seed follows from it and from the run's name; without it each draws its own. */
  readonly seed?: number | undefined;
  /** Absolute; holds a baseline `<name>.yaml` for those runs that have one. */
  readonly baselines?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Groups that are run at once. */
  readonly jobs: number;
  /** Seconds that a run may take. */
  readonly timeout: number;
  /** What an earlier call has left: what is finished there is not run again. */
  readonly former?: Fleet | undefined;
  readonly signal: AbortSignal;
  /** Hears of each run as it ends, and how long it took in milliseconds. */
  readonly onResult: (run: FleetRun, durationMs: number) => void;
}

/** The folder below that of the results in which each run has its own. */
export const RUNS_FOLDER = "runs";
const REPORT_FILE = "report.json";
const LOG_FILE = "log.txt";
/** A run that was told how long it may take ends by itself, in time to write down what it has judged. */
const GRACE_MS = 30_000;

/**
 * Runs every profile in a process of its own, those of a group one after another, and keeps `fleet.json` up to date with
 * what came of them.
 * @returns what came of all, those without a result included
 */
export async function runFleet(options: FleetOptions): Promise<Fleet> {
  const { groups, folder, jobs, shard } = options;
  const broken = new AbortController();
  const signal = AbortSignal.any([options.signal, broken.signal]);
  const results = new Map<string, FleetRun>();
  for (const { name } of groups.flat()) results.set(name, finished(name, options) ?? { name });
  const fleet = (): Fleet => ({ runs: [...results.values()], shard });
  await mkdir(folder, { recursive: true });
  let written = write(folder, fleet());
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
        // One after another: the last one to be written is the newest.
        written = written.then(() => write(folder, fleet()));
        await written;
      }
    }
  };
  // Whatever fails here is none of a single run: the disk is full, say.
  const endWith = (error: unknown): never => {
    broken.abort();
    throw error;
  };
  const ended = await Promise.allSettled(Array.from({ length: jobs }, () => work().catch(endWith)));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return { runs: fleet().runs.toSorted((a, b) => byText(a.name, b.name)), shard };
}

/** Whether something came of a run. */
export function isFinished(run: FleetRun | undefined): boolean {
  return run?.verdict !== undefined || run?.error !== undefined;
}

/** What came of a run earlier, where its report is still there. */
function finished(name: string, { former, folder }: FleetOptions): FleetRun | undefined {
  const run = former?.runs.find((one) => one.name === name);
  const isThere = run?.report === undefined || existsSync(join(folder, run.report));
  return isFinished(run) && isThere ? run : undefined;
}

async function runOne({ name, file }: FleetProfile, options: FleetOptions): Promise<FleetRun> {
  const { folder, baselines, seed, timeout, cwd, signal } = options;
  const below = `${RUNS_FOLDER}/${name}`;
  const own = join(folder, below);
  const [report, log] = [join(own, REPORT_FILE), join(own, LOG_FILE)];
  try {
    await mkdir(own, { recursive: true });
    // What is there is of an earlier run.
    await rm(report, { force: true });
    await writeFile(log, "");
  } catch (error) {
    return { name, error: `nothing can be written to its folder: ${(error as Error).message}` };
  }
  const baseline = baselines === undefined ? undefined : resolve(baselines, `${name}.yaml`);
  const args = [
    "run",
    // As people name them: messages do so too.
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
    limitMs: timeout * 1000 + GRACE_MS,
    signal,
  });
  return resultOf(name, ending, { file: report, shown: `${below}/${REPORT_FILE}`, log, timeout });
}

/** Another one for each run, and the same whatever shard it is in. */
function seedOf(seed: number, name: string): number {
  return createHash("sha256").update(`${seed} ${name}`).digest().readUInt32BE();
}

/** A run writes into a file: it has nothing to colour, and nothing to tell GitHub Actions, where each would have a summary. */
function environment(env: FleetOptions["env"]): FleetOptions["env"] {
  const { GITHUB_ACTIONS: _actions, FORCE_COLOR: _color, ...others } = env;
  return { ...others, NO_COLOR: "1" };
}

async function write(folder: string, fleet: Fleet): Promise<void> {
  await writeWhole(join(folder, FLEET_FILE), fleetJson(fleet));
}
