import { type Command, CommanderError } from "commander";

import { createProgram } from "../../src/cli/main.ts";
import { createIo } from "../cli/io.ts";

/** The command with nothing behind it: parsing tells what is wrong with a command line. */
function idle(command: Command): Command {
  command.action(() => {}).exitOverride();
  for (const one of command.commands) idle(one);
  return command;
}

/** Every command that is no mere group of others, by the words that call it. */
export function commandsOf(command: Command = createProgram(createIo(), () => {})): string[][] {
  return command.commands.flatMap((one) =>
    one.commands.length === 0
      ? [[one.name()]]
      : commandsOf(one).map((words) => [one.name(), ...words]),
  );
}

/** What the command says is wrong with its arguments; nothing where it would take them. */
export function problemOf(args: readonly string[]): string | undefined {
  const io = createIo();
  try {
    idle(createProgram(io, () => {})).parse(args, { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.message;
  }
}

const CALL = /(\$\()?orgsync-conformance(?:@[\w.]+)? (?=[a-z-])([^\n`]+)/g;
/** Where another command of the shell begins. */
const NEXT = /\n| \| | && |; /;
/** What a shell takes to itself, or a comment. */
const END = /^(?:\d?>|#|$)/;

/** The arguments of every call of the command in a text: a page, a workflow, a help text. */
export function callsIn(text: string): string[][] {
  const lines = text.replaceAll(/\\\n\s*/g, "").split(NEXT);
  const calls = lines
    .filter((line) => !line.startsWith("Usage:") && !/^\s*#/.test(line))
    .join("\n");
  return [...calls.matchAll(CALL)].map(([, inner, rest = ""]) => {
    // Two blanks part an example from what the help says of it.
    const [call = ""] = rest.split(inner ? ")" : / {2,}/, 1);
    const words = [...call.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? "",
    );
    const end = words.findIndex((word) => END.test(word));
    return end < 0 ? words : words.slice(0, end);
  });
}
