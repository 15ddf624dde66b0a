import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { port } from "../../options.ts";
import type { OpenFlags } from "./flags.ts";

export function addOpen(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("open")
    .description("Show a report in the browser, on a local page that closes with the command.")
    .argument("<report.json>", "the report of an earlier run")
    .option("--port <n>", "port to listen on, 0 for any free port", port, 0)
    .option("--no-browser", "print the link only")
    .addHelpText(
      "after",
      `
The link works once, in one browser on this machine. Nothing is sent to the
deployment. Ctrl-C stops it.

Examples:
  orgsync-conformance open reports/report.json
  orgsync-conformance open reports/report.json --no-browser --port 8090`,
    )
    .action(async (report: string, flags: OpenFlags) => {
      const { open } = await import("./run.ts");
      await open(report, flags, io);
      settle(0);
    });
}
