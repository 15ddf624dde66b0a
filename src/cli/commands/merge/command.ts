import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";

/** The options of `merge`. */
export interface MergeFlags {
  readonly out: string;
  readonly since?: string;
  readonly gate?: boolean;
  readonly acceptIncomplete?: boolean;
}

/** Adds `merge`, which puts the results of many runs together, to the program. */
export function addMerge(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("merge")
    .description(
      "Put the results of many runs together: fleet.json, and a page of deployments and rules.",
    )
    .argument(
      "<dir or report...>",
      "folders of fleet, of merge or of run, folders of these, or reports",
    )
    .option("-o, --out <dir>", "where fleet.json, fleet.html and a copy of each report go", "fleet")
    .option("--since <fleet.json>", "say what changed since then")
    .option("--gate", "exit with the worst of the runs: 130 before 2, 2 before 1, 1 before 3")
    .option("--accept-incomplete", "with --gate: exit 0 where it would be 3")
    .addHelpText(
      "after",
      `
Each shard lists the runs of all: a run that none of the folders has is listed without a result, and
counts as interrupted. The baseline of a run counts as it did in that run.

Exits 0, with --gate by the runs, 2 when something is no result.

Examples:
  orgsync-conformance merge shard-1 shard-2 --out fleet
  orgsync-conformance merge shards --out fleet --since last-night/fleet.json --gate`,
    )
    .action(async (sources: readonly string[], flags: MergeFlags) => {
      const { mergeCommand } = await import("./run.ts");
      settle(await mergeCommand(sources, flags, io));
    });
}
