#!/usr/bin/env node
import { realpathSync } from "node:fs";

import { Command } from "commander";

import { suiteVersion } from "../package-root.ts";
import { addCompare } from "./compare.ts";
import { explainError } from "./explain-error.ts";
import { type CommandIo, processIo } from "./io.ts";
import { addKeys } from "./keys.ts";
import { addRules } from "./rules.ts";
import { addRun } from "./run.ts";
import { addServe } from "./serve.ts";

/**
 * Runs the command; throws nothing and never ends the process, unless `io.exit` does.
 * @param argv the arguments after the command's name
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  let code = 0;
  const settle = (settled: number): void => {
    code = settled;
  };
  const program = new Command("orgsync-conformance")
    .description(
      "Tells whether a deployment honours the Organization Profile Syncing Service contract.",
    )
    .version(suiteVersion, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
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
  orgsync-conformance run --profile orgsync.yaml   certify a deployment`,
    );
  for (const add of [addRun, addCompare, addServe, addKeys, addRules]) add(program, io, settle);
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return explainError(error, io);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const io = processIo();
  const failed = (error: unknown): void => io.exit(explainError(error, io));
  process.on("uncaughtException", failed);
  process.on("unhandledRejection", failed);
  process.exitCode = await main(process.argv.slice(2), io);
}
