import { availableParallelism } from "node:os";

import { type Command, InvalidArgumentError } from "commander";

import type { Shard } from "../../../fleet/profiles.ts";
import type { CommandIo } from "../../io.ts";
import {
  ENV,
  fileMode,
  LARGEST_SEED,
  LONGEST_SECONDS,
  severalValues,
  reportFormats,
  REPORT_FORMAT,
  REPORT_MODE,
  wholeNumber,
} from "../../options.ts";
import type { FleetFlags } from "./flags.ts";

const MOST_JOBS = 256;
const MOST_SHARDS = 100_000;
/** A run takes a minute or two. An hour ends only runs that hang. */
const USUAL_SECONDS = 3600;

export function addFleet(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("fleet")
    .description("Certify many deployments, each in a run of its own.")
    .argument("<profile...>", "profiles, or patterns in quotes")
    .option("-o, --out <dir>", "the folder for fleet.json and for a folder of each run", "fleet")
    .option(
      "--jobs <n>",
      "runs at once (default: as many as there are processors)",
      wholeNumber(1, MOST_JOBS),
    )
    .option(
      "--shard <n/of>",
      "only this part: 2/5 is the second of five, and index:1/5 is the same, counted from 0",
      shard,
    )
    .option(
      "--timeout <seconds>",
      "for each run: what was judged by then is written; a run that does not end then is ended",
      wholeNumber(1, LONGEST_SECONDS),
      USUAL_SECONDS,
    )
    .option("--resume", "skip the runs that are finished in --out")
    .option("--baselines <dir>", "known failures of a run: <dir>/<name>.yaml, if it exists")
    .option(
      "--seed <n>",
      "the seed of each run follows from it and from the run's name (default: drawn for each)",
      wholeNumber(0, LARGEST_SEED),
    )
    .option(
      "--rule <pattern>",
      "only these rules or cases, as with run; repeatable, or with commas",
      severalValues,
    )
    .option("--concurrency <n>", "requests of each run in flight at once", wholeNumber(1, 256))
    .option("--read-only", "send no PATCH and no POST at all")
    .option(
      "--untrusted",
      "the profiles are somebody else's: no environment variables but those of --env, no files outside of their folders, no commands, no private addresses",
    )
    .option("--env <name>", ENV, severalValues)
    .option("--allow-bundled-keys", "use the bundled keys, as with run")
    .option("--report <format>", REPORT_FORMAT, reportFormats)
    .option("--report-mode <mode>", REPORT_MODE, fileMode)
    .addHelpText(
      "after",
      `
A run is named after its profile, without extension: profiles/acme.yaml is acme. It writes its files
to <dir>/runs/<name>/: report.json, and log.txt with its output. Profiles with the same base URL and
primary organization run one after another, and always in the same shard.

Exits 0 when it finished, whatever the verdicts; 2 when it could not start, 130 when interrupted.
\`merge --gate\` exits according to the verdicts.

Examples:
  orgsync-conformance fleet 'profiles/*.yaml' --jobs 4
  orgsync-conformance fleet 'profiles/*.yaml' --shard 2/5 --out shard-2 --resume
  orgsync-conformance fleet 'vendors/*/orgsync.yaml' --untrusted --env VENDOR_KEY --timeout 900`,
    )
    .action(
      async (patterns: readonly string[], flags: Omit<FleetFlags, "jobs"> & { jobs?: number }) => {
        const { runFleetCommand } = await import("./run.ts");
        const { jobs = availableParallelism() } = flags;
        settle(await runFleetCommand(patterns, { ...flags, jobs }, io));
      },
    );
}

/** Parses `2/5` or `index:1/5`. */
function shard(value: string): Shard {
  const [, index, first = "", last = ""] = /^(index:)?(\d{1,6})\/(\d{1,6})$/.exec(value) ?? [];
  const number = Number(first) + (index === undefined ? 0 : 1);
  const of = Number(last);
  if (first === "" || number < 1 || number > of || of > MOST_SHARDS) {
    throw new InvalidArgumentError(
      "For example 2/5, the second of five, or index:1/5, counted from 0.",
    );
  }
  return { number, of };
}
