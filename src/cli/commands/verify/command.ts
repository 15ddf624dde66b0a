import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import type { VerifyFlags } from "./flags.ts";

/** Adds `verify`, which judges a report again, to the program. */
export function addVerify(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("verify")
    .description("Judge a report again from what is recorded in it.")
    .argument("<report.json>", "the report of a run")
    .option("--json", "for machines")
    .addHelpText(
      "after",
      `
Sends nothing and reads nothing but the report. It says whether the report is consistent: whether
each outcome follows from its evidence, every rule and case is there, and counts and verdict follow.
It cannot say whether the report is true: who forges every answer consistently is found by --live.

Exits 0 when the report is consistent, 1 when it is not, 2 when it cannot be read or another version
of the suite made it.

Examples:
  orgsync-conformance verify reports/report.json
  orgsync-conformance verify reports/report.json --json`,
    )
    .action(async (file: string, flags: VerifyFlags) => {
      const { verify } = await import("./run.ts");
      settle(await verify(file, flags, io));
    });
}
