import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { countLines, resultText } from "../../../fleet/deployment.ts";
import { FLEET_FILE, type Fleet, readFleet, type ShardNote } from "../../../fleet/fleet-file.ts";
import {
  type Group,
  groupProfiles,
  groupsOf,
  type Shard,
  findProfiles,
} from "../../../fleet/profiles.ts";
import { isFinished, runFleet } from "../../../fleet/run-fleet.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/words.ts";
import { INTERRUPTED, listenForStop, type CommandIo } from "../../io.ts";
import { checkFolder } from "../../report-files.ts";
import { namedVariables } from "../../run-target.ts";
import type { FleetFlags } from "./flags.ts";

/**
 * Implements `fleet`: finds the profiles, runs each of them, and prints the results.
 * @throws SuiteError when it cannot start
 */
export async function runFleetCommand(
  patterns: readonly string[],
  flags: FleetFlags,
  io: CommandIo,
): Promise<number> {
  const { cwd, stderr, stdout } = io;
  const folder = resolve(cwd, flags.out);
  checkFolder(folder, flags.out);
  const { untrusted } = flags;
  const env = namedVariables(flags, io);
  const profiles = await findProfiles(patterns, cwd);
  const all = groupProfiles(profiles, { cwd, env, untrusted });
  const groups = flags.shard ? groupsOf(flags.shard, all) : all;
  const names = groups.flat().map(({ name }) => name);
  const file = join(folder, FLEET_FILE);
  const left = existsSync(file) ? readFleet(file, join(flags.out, FLEET_FILE)) : undefined;
  refuseOtherShard(left, flags);
  const former = flags.resume ? left : undefined;
  const part = flags.shard ? `, shard ${flags.shard.number} of ${flags.shard.of}` : "";
  stderr.write(
    `${counted(names.length, "run")} of ${counted(profiles.length, "profile")}${part}\n`,
  );

  const { signal, stopListening } = listenForStop(io, "stopping the runs.");
  let done = 0;
  try {
    const { runs } = await runFleet({
      groups,
      shard: flags.shard && shardNote(flags.shard, all, names),
      folder,
      command: io.self,
      args: runArguments(flags),
      seed: flags.seed,
      baselines: flags.baselines === undefined ? undefined : resolve(cwd, flags.baselines),
      cwd,
      env: io.env,
      jobs: flags.jobs,
      timeout: flags.timeout,
      mode: flags.reportMode,
      former,
      signal,
      onResult(run, durationMs) {
        done += 1;
        const seconds = Math.round(durationMs / 1000);
        stderr.write(`${done}. ${run.name}: ${resultText(run)}, ${seconds} s\n`);
      },
    });
    stdout.write(`${countLines(runs).join("\n")}\nResults: ${join(flags.out, FLEET_FILE)}\n`);
    const open = runs.filter((run) => !isFinished(run)).length;
    if (!signal.aborted || open === 0) return 0;
    stderr.write(`${counted(open, "run")} left; continue with --resume.\n`);
    return INTERRUPTED;
  } finally {
    stopListening();
  }
}

/** Refuses to write into the results of another shard, because they would be lost. */
function refuseOtherShard(left: Fleet | undefined, { shard, out }: FleetFlags): void {
  if (!left?.shard || !shard) return;
  const { number, of } = left.shard;
  if (number === shard.number && of === shard.of) return;
  throw new SuiteError("ERR_FLAG", `${out} holds the results of shard ${number} of ${of}`, {
    hint: "Name another folder with --out: each shard needs its own.",
  });
}

function shardNote(shard: Shard, all: readonly Group[], own: readonly string[]): ShardNote {
  const mine = new Set(own);
  const names = all.flat().map(({ name }) => name);
  return { ...shard, others: names.filter((name) => !mine.has(name)) };
}

function runArguments(flags: FleetFlags): string[] {
  const { rule = [], env = [], report = [], concurrency } = flags;
  return [
    ...rule.map((pattern) => `--rule=${pattern}`),
    ...(concurrency === undefined ? [] : [`--concurrency=${concurrency}`]),
    ...(flags.readOnly ? ["--read-only"] : []),
    ...(flags.untrusted ? ["--untrusted"] : []),
    ...env.map((name) => `--env=${name}`),
    ...(flags.allowBundledKeys ? ["--allow-bundled-keys"] : []),
    ...report.map((format) => `--report=${format}`),
    ...(flags.reportMode === undefined ? [] : [`--report-mode=${flags.reportMode.toString(8)}`]),
  ];
}
