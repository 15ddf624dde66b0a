import type { Command } from "commander";

import { suiteVersion } from "../lib/package-root.ts";
import { addAttest } from "./commands/attest/command.ts";
import { addCompare } from "./commands/compare/command.ts";
import { addDecode } from "./commands/decode/command.ts";
import { addDoctor } from "./commands/doctor/command.ts";
import { addFleet } from "./commands/fleet/command.ts";
import { addInit } from "./commands/init/command.ts";
import { addKeys } from "./commands/keys/command.ts";
import { addMerge } from "./commands/merge/command.ts";
import { addOpen } from "./commands/open/command.ts";
import { addReplay } from "./commands/replay/command.ts";
import { addRules } from "./commands/rules/command.ts";
import { addRun } from "./commands/run/command.ts";
import { addServe } from "./commands/serve/command.ts";
import { addToken } from "./commands/token/command.ts";
import { addVerify } from "./commands/verify/command.ts";
import { explainError } from "./explain-error.ts";
import { guardLog } from "./github.ts";
import { type CommandIo, printed, processIo } from "./io.ts";
import { SuggestingCommand } from "./suggesting-command.ts";

/**
 * Runs the command. Throws nothing, and ends the process only through `io.exit`.
 * @param argv the arguments after the command's name
 */
export async function main(argv: readonly string[], world: CommandIo): Promise<number> {
  const io = guardLog(world);
  let code = 0;
  const program = createProgram(io, (settled) => {
    code = settled;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return explainError(error, io);
  }
}

/**
 * Builds the command with all its subcommands. It throws a `CommanderError` where commander would exit the process.
 * @param settle receives the exit code when a subcommand is done
 */
export function createProgram(io: CommandIo, settle: (code: number) => void): Command {
  const program = new SuggestingCommand("orgsync-conformance")
    .description(
      "Tells whether a deployment honours the Organization Profile Syncing Service contract.",
    )
    .version(suiteVersion, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "Show the help of a command.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => Math.min(io.stdout.columns, 100),
      getErrHelpWidth: () => Math.min(io.stderr.columns, 100),
    })
    .addHelpText(
      "after",
      `
Examples:
  orgsync-conformance run                          certify the embedded reference receiver
  orgsync-conformance init                         write a profile for a deployment, and make keys
  orgsync-conformance doctor                       see whether a run would come to a verdict
  orgsync-conformance run --profile orgsync.yaml   certify a deployment`,
    );
  for (const add of [
    addInit,
    addDoctor,
    addRun,
    addFleet,
    addMerge,
    addReplay,
    addOpen,
    addToken,
    addDecode,
    addCompare,
    addVerify,
    addAttest,
    addServe,
    addKeys,
    addRules,
  ]) {
    add(program, io, settle);
  }
  // Set last, because commands copy this setting when they are added, and their own messages need no hint.
  return program.showHelpAfterError("Try orgsync-conformance --help.");
}

/** Runs the command in this process, and reports uncaught exceptions and rejections as bugs. */
export async function start(): Promise<void> {
  const io = guardLog(processIo());
  const failed = (error: unknown): void => io.exit(explainError(error, io));
  process.on("uncaughtException", failed);
  process.on("unhandledRejection", failed);
  const code = await main(process.argv.slice(2), io);
  // Otherwise Node frees all memory first, which takes a twentieth of a short run.
  await printed();
  io.exit(code);
}
