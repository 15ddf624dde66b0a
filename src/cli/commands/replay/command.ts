import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import {
  BUNDLED_KEYS,
  ENV,
  fileMode,
  REPORT_MODE,
  severalValues,
  UNTRUSTED,
} from "../../options.ts";
import type { ReplayFlags } from "./flags.ts";

export function addReplay(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("replay")
    .description("Run one case of a report again, and show its requests beside accepted ones.")
    .argument("<report.json>", "the report of an earlier run")
    .argument("<case>", "the case: its id, a unique part of its id, or a glob")
    .argument("[base-url]", "the deployment's base URL; overrides the profile's")
    .option(
      "-p, --profile <file>",
      "the target profile (default: orgsync.yaml, if it exists, or else the report's base URL, if it is on loopback)",
    )
    .option(
      "-o, --out <dir>",
      "write the replay's own report.json there (default: none is written)",
    )
    .option(
      "--pack <name or file>",
      "the pack of the case, for the file of a pack of yours (default: the suite's own, by the case)",
      severalValues,
    )
    .option("--report-mode <mode>", REPORT_MODE, fileMode)
    .option("--read-only", "send no PATCH and no POST at all")
    .option("--watch <folder>", "try again whenever a file in the folder changes, until Ctrl-C")
    .option("--watch-writes", "with --watch: a case that sends a PATCH or POST is tried too")
    .option("--allow-bundled-keys", BUNDLED_KEYS)
    .option("--untrusted", UNTRUSTED)
    .option("--env <name>", ENV, severalValues)
    .addHelpText(
      "after",
      `
Tokens are new, generated inputs come from the report's seed, and controls are sent before and
after, as in every run. ≠ marks the differences between control and probe. If the report is of the
embedded reference receiver and there is no profile, the receiver is started again. A case that
report.json lacks is looked for in whole.json beside it.

Exits as \`run\` would for this case alone: 0 when it passes or is never judged, 1 when it fails, 2
when it could not run, 3 when it is a MUST and could not be judged, 130 when interrupted.

Examples:
  orgsync-conformance replay reports/report.json receiver.audience/other@viewOrganization
  orgsync-conformance replay reports/report.json audience/other@viewOrganization -p orgsync.yaml
  orgsync-conformance replay reports/report.json 'receiver.expiry/hour-ago@v*' -o replayed
  orgsync-conformance replay reports/report.json audience/other@viewOrganization --watch src`,
    )
    .action(
      async (report: string, name: string, baseUrl: string | undefined, flags: ReplayFlags) => {
        const { replay } = await import("./run.ts");
        settle(await replay(report, name, baseUrl, flags, io));
      },
    );
}
