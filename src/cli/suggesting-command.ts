import { Command } from "commander";

import { didYouMean } from "../lib/did-you-mean.ts";

/** A command that suggests options and subcommands as everything else is suggested, in place of commander's own way. */
export class SuggestingCommand extends Command {
  override createCommand(name?: string): SuggestingCommand {
    return new SuggestingCommand(name);
  }

  /** Called by commander. */
  unknownOption(flag: string): never {
    const options = this.createHelp()
      .visibleOptions(this)
      .flatMap(({ long }) => long ?? []);
    this.refuse("option", flag, options);
  }

  /** Called by commander. */
  unknownCommand(): never {
    const commands = this.createHelp()
      .visibleCommands(this)
      .map((command) => command.name());
    this.refuse("command", this.args[0] ?? "", commands);
  }

  private refuse(noun: "option" | "command", wanted: string, known: readonly string[]): never {
    const question = didYouMean(wanted, known);
    const code = noun === "option" ? "commander.unknownOption" : "commander.unknownCommand";
    this.error(`error: unknown ${noun} '${wanted}'${question && `\n${question}`}`, { code });
  }
}
