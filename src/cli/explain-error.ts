import { CommanderError } from "commander";
import pc from "picocolors";

import { Interrupted } from "../http/persistence/rate-limiter.ts";
import { createRedactor } from "../http/recording/redact.ts";
import { SuiteError } from "../lib/errors.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { printable } from "../report/untrusted.ts";
import { INTERRUPTED } from "./interrupt.ts";
import { type CommandIo, wantsColor } from "./io.ts";

const COULD_NOT_RUN = 2;

/**
 * Prints on stderr what went wrong and how to fix it. Prints a stack trace only for a bug in the suite, and
 * only with `DEBUG` set.
 * @returns the exit code: 0 after help or version, 130 after an interruption, else 2
 */
export function explainError(error: unknown, { stderr, env }: CommandIo): number {
  // Commander has already printed its message, its help or its version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : COULD_NOT_RUN;
  // The user interrupted the run and needs no message.
  if (error instanceof Interrupted) return INTERRUPTED;
  const { red, bold } = pc.createColors(wantsColor(stderr, env));
  const redact = createRedactor([]);
  const say = (text: string): void => {
    for (const line of redact(text).split("\n")) stderr.write(`${printable(line, 1000)}\n`);
  };
  stderr.write(`${red(bold("error:"))} `);
  if (error instanceof SuiteError) {
    say(error.message);
    if (error.hint !== undefined) say(error.hint);
    return COULD_NOT_RUN;
  }
  say(`a bug in the suite: ${error instanceof Error ? error.message : String(error)}`);
  say(
    env["DEBUG"]
      ? `${error instanceof Error ? error.stack : ""}`
      : "Please report it, with the command line and what it prints when DEBUG=1 is set.",
  );
  say(`orgsync-conformance ${suiteVersion}, Node ${process.version}, ${process.platform}`);
  return COULD_NOT_RUN;
}
