import { CommanderError } from "commander";
import pc from "picocolors";

import { Interrupted } from "../http/persistence/rate-limiter.ts";
import { createRedactor } from "../http/recording/redact.ts";
import { SuiteError } from "../lib/errors.ts";
import { suiteVersion } from "../lib/package-root.ts";
import { printable } from "../report/untrusted.ts";
import { tellGitHubError } from "./github.ts";
import { INTERRUPTED, type CommandIo, wantsColor } from "./io.ts";

const COULD_NOT_RUN = 2;
/** In characters. */
const LONGEST_LINE = 1000;

/**
 * Says what went wrong and how to fix it, on stderr and to GitHub Actions. Prints a stack trace only for a bug in the
 * suite, and only with `DEBUG` set.
 * @returns the exit code: 0 after help or version, 130 after an interruption, else 2
 */
export function explainError(error: unknown, io: CommandIo): number {
  // The user interrupted the run and needs no message.
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const redact = createRedactor([]);
  const lines = linesOf(error, io)
    .flatMap((text) => redact(text).split("\n"))
    .map((line) => printable(line, LONGEST_LINE));
  // Commander has already printed its own message.
  if (!(error instanceof CommanderError)) {
    const { red, bold } = pc.createColors(wantsColor(io.stderr, io.env));
    io.stderr.write(`${red(bold("error:"))} ${lines.map((line) => `${line}\n`).join("")}`);
  }
  tellGitHubError(lines, io);
  return COULD_NOT_RUN;
}

function linesOf(error: unknown, { env }: CommandIo): string[] {
  if (error instanceof CommanderError) return [error.message.replace(/^error: /, "")];
  if (error instanceof SuiteError) {
    return error.hint === undefined ? [error.message] : [error.message, error.hint];
  }
  return [
    `a bug in the suite: ${error instanceof Error ? error.message : String(error)}`,
    env["DEBUG"]
      ? `${error instanceof Error ? error.stack : ""}`
      : "Please report it, with the command line and what it prints when DEBUG=1 is set.",
    `orgsync-conformance ${suiteVersion}, Node ${process.version}, ${process.platform}`,
  ];
}
