import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { severalValues } from "../../options.ts";

interface RulesFlags {
  readonly json?: boolean;
  /** Names or files of packs. */
  readonly pack?: readonly string[];
}

export function addRules(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("rules")
    .description("List the rules, or explain one.")
    .argument("[id]", "a rule, or one of its cases")
    .option(
      "--pack <name or file>",
      "the rules of a pack, in place of the contract's",
      severalValues,
    )
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  orgsync-conformance rules
  orgsync-conformance rules receiver.expiry`,
    )
    .action(async (id: string | undefined, { json = false, pack }: RulesFlags) => {
      const { describeRule, listRules, rulesOf } = await import("./run.ts");
      const { columns } = io.stdout;
      const rules = await rulesOf(pack, io);
      io.stdout.write(
        id === undefined ? listRules(columns, json, rules) : describeRule(id, columns, json, rules),
      );
      settle(0);
    });
}
