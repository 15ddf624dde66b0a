import { CommanderError } from "commander";
import pc from "picocolors";

import { Interrupted } from "../http/rate-limiter.ts";
import { createRedactor } from "../http/redact.ts";
import { SuiteError } from "../lib/errors.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { printable } from "../report/untrusted.ts";
import { INTERRUPTED } from "./interrupt.ts";
import { type CommandIo, wantsColor } from "./io.ts";

const COULD_NOT_RUN = 2;

/**
 * Tells on stderr what went wrong, in the words of whoever can put it right; a stack only for a bug,
 * and only with `DEBUG` set.
 * @returns the exit code
 */
export function explainError(error: unknown, { stderr, env }: CommandIo): number {
  // Commander has said already what it had to say, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : COULD_NOT_RUN;
  // Whoever interrupted knows it.
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
