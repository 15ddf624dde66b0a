import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import type { ReplayFlags } from "./flags.ts";

/** Adds `replay`, which runs one case of a report again, to the program. */
export function addReplay(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("replay")
    .description("Run one case of a report again, and show its requests beside accepted ones.")
    .argument("<report.json>", "the report of an earlier run")
    .argument("<case>", "its id, a part of it that only this one has, or a glob")
    .option(
      "-p, --profile <file>",
      "the target profile (default: orgsync.yaml where there is one, else the report's base URL, if it is on loopback)",
    )
    .option(
      "-o, --out <dir>",
      "write the replay's own report.json there (default: none is written)",
    )
    .option("--read-only", "send no PATCH and no POST at all")
    .option(
      "--allow-bundled-keys",
      "use the bundled keys, which are public, against a host that is not loopback",
    )
    .addHelpText(
      "after",
      `
Tokens are minted anew, generated inputs come from the report's seed, and controls are sent before
and after, as ever. What differs between control and probe is marked with ≠. Where the report is of
the embedded reference receiver and there is no profile, one is started anew.

Exits as \`run\` would for this case alone: 0 it passes or is not judged by design, 1 it fails, 2 it
could not run, 3 it is a MUST and could not be judged, 130 when interrupted.

Examples:
  orgsync-conformance replay reports/report.json receiver.audience/other@viewOrganization
  orgsync-conformance replay reports/report.json audience/other@viewOrganization -p orgsync.yaml
  orgsync-conformance replay reports/report.json 'receiver.expiry/hour-ago@v*' -o replayed`,
    )
    .action(async (report: string, name: string, flags: ReplayFlags) => {
      const { replay } = await import("./run.ts");
      settle(await replay(report, name, flags, io));
    });
}
