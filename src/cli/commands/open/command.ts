import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { BUNDLED_KEYS, ENV, port, PROFILE, severalValues, UNTRUSTED } from "../../options.ts";
import type { OpenFlags } from "./flags.ts";

export function addOpen(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("open")
    .description(
      "Show a report in the browser, on a local page that can send its requests again, changed or not.",
    )
    .argument("<report.json>", "the report of an earlier run")
    .argument("[base-url]", "the deployment's base URL; overrides the profile's")
    .option("-p, --profile <file>", PROFILE)
    .option(
      "--pack <name or file>",
      "the pack of cases, for the file of a pack of yours",
      severalValues,
    )
    .option("--read-only", "send no PATCH and no POST at all")
    .option("--watch <folder>", "judge what failed again whenever a file in the folder changes")
    .option("--watch-writes", "with --watch: cases that send a PATCH or POST too")
    .option("--allow-bundled-keys", BUNDLED_KEYS)
    .option("--untrusted", UNTRUSTED)
    .option("--env <name>", ENV, severalValues)
    .option("--port <n>", "port to listen on, 0 for any free port", port, 0)
    .option("--no-browser", "print the link only")
    .addHelpText(
      "after",
      `
The link works once, in one browser on this machine. Ctrl-C stops it.

Requests go to the deployment of the profile alone, never to one that the report names, and only
when you send them or --watch is given. A write asks first. Commands of the profile run after a
click. Without a profile, the report is only read.

Examples:
  orgsync-conformance open reports/report.json
  orgsync-conformance open reports/report.json --profile orgsync.yaml --watch src
  orgsync-conformance open reports/report.json --no-browser --port 8090`,
    )
    .action(async (report: string, baseUrl: string | undefined, flags: OpenFlags) => {
      const { open } = await import("./run.ts");
      await open(report, baseUrl, flags, io);
      settle(0);
    });
}
