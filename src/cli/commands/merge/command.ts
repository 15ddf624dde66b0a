import { type Command, Option } from "commander";

import type { CommandIo } from "../../io.ts";
import { fileMode, REPORT_MODE } from "../../options.ts";
import type { MergeFlags } from "./flags.ts";

export function addMerge(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("merge")
    .description(
      "Combine the results of many runs into fleet.json and a page of deployments and rules.",
    )
    .argument(
      "<dir or report...>",
      "folders of fleet, merge or run, folders of such folders, or reports",
    )
    .option("-o, --out <dir>", "where fleet.json, fleet.html and a copy of each report go", "fleet")
    .option("--report-mode <mode>", REPORT_MODE, fileMode)
    .option("--since <fleet.json>", "compare with these earlier results")
    .option("--gate", "exit with the worst of the runs: 130 before 2, 2 before 1, 1 before 3")
    .option("--accept-incomplete", "with --gate: exit 0 where it would be 3")
    .addOption(
      new Option(
        "--require <verdict>",
        "like --gate, by the verdicts alone, whatever baselines and --accept-incomplete say: 1 where one is non-conformant, 3 where one is partial or incomplete",
      ).choices(["conformant"]),
    )
    .addOption(
      new Option(
        "--fail-on <outcome>",
        "like --gate, and exit 1 where a SHOULD was violated",
      ).choices(["warn"]),
    )
    .addHelpText(
      "after",
      `
Each shard lists the runs of all shards. A run that is in none of the folders is listed without a
result, and counts as interrupted. The baseline of a run counts as it did in that run, except with
--require conformant. What a run itself was started with (--require, --fail-on,
--accept-incomplete) is not in its report, so give it to merge too.

Exits 0, or with --gate as the worst of the runs; 2 when an argument is not a result.

Examples:
  orgsync-conformance merge shard-1 shard-2 --out fleet
  orgsync-conformance merge shards --out fleet --since last-night/fleet.json --gate
  orgsync-conformance merge release --require conformant --fail-on warn`,
    )
    .action(async (sources: readonly string[], flags: MergeFlags) => {
      const { mergeCommand } = await import("./run.ts");
      settle(await mergeCommand(sources, flags, io));
    });
}
