import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";

interface RulesFlags {
  readonly json?: boolean;
}

export function addRules(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("rules")
    .description("List the rules, or explain one.")
    .argument("[id]", "a rule, or one of its cases")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  orgsync-conformance rules
  orgsync-conformance rules receiver.expiry`,
    )
    .action(async (id: string | undefined, { json = false }: RulesFlags) => {
      const { describeRule, listRules } = await import("./run.ts");
      const { columns } = io.stdout;
      io.stdout.write(
        id === undefined ? listRules(columns, json) : describeRule(id, columns, json),
      );
      settle(0);
    });
}
