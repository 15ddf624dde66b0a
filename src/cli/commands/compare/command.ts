import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";

export function addCompare(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("compare")
    .description("Compare reports: of several deployments, or of one deployment over time.")
    .argument("<report.json...>", "two or more reports")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Exits 0 whether they differ or not, 2 when a file is not a report.

Examples:
  orgsync-conformance compare ours/report.json theirs/report.json
  orgsync-conformance compare before/report.json after/report.json --json`,
    )
    .action(async (files: readonly string[], { json = false }: { readonly json?: boolean }) => {
      const { compareFiles } = await import("./run.ts");
      io.stdout.write(compareFiles(files, json, io));
      settle(0);
    });
}
