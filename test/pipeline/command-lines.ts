import { type Command, CommanderError } from "commander";

import { createProgram } from "../../src/cli/main.ts";
import { createIo } from "../cli/io.ts";

/** The command without actions, to find errors in a command line by parsing it. */
function idle(command: Command): Command {
  command.action(() => {}).exitOverride();
  for (const one of command.commands) idle(one);
  return command;
}

/** Every command except groups of commands, by the words that call it. */
export function commandsOf(command: Command = createProgram(createIo(), () => {})): string[][] {
  return command.commands.flatMap((one) =>
    one.commands.length === 0
      ? [[one.name()]]
      : commandsOf(one).map((words) => [one.name(), ...words]),
  );
}

/** The error of the command for its arguments, or nothing if it accepts them. */
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
/** Syntax of the shell itself, or a comment. */
const END = /^(?:\d?>|#|$)/;

/** The arguments of every call of the command in a text: a page, a workflow, a help text. */
export function callsIn(text: string): string[][] {
  const lines = text.replaceAll(/\\\n\s*/g, "").split(NEXT);
  const calls = lines
    .filter((line) => !line.startsWith("Usage:") && !/^\s*#/.test(line))
    .join("\n");
  return [...calls.matchAll(CALL)].map(([, inner, rest = ""]) => {
    // Two spaces separate an example from its explanation in the help.
    const [call = ""] = rest.split(inner ? ")" : / {2,}/, 1);
    const words = [...call.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? "",
    );
    const end = words.findIndex((word) => END.test(word));
    return end < 0 ? words : words.slice(0, end);
  });
}
