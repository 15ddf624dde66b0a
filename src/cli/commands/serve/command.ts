import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { port, severalValues, wholeNumber } from "../../options.ts";
import type { ServeFlags } from "./flags.ts";

export function addServe(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("serve")
    .description("Run the reference receiver alone and print a profile for it.")
    .option("--port <n>", "port to listen on, 0 for any free port", port, 0)
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--fault <name>", "add a fault; repeatable, or with commas", severalValues)
    .option(
      "--variant <name>",
      "add a conforming variant; repeatable, or with commas",
      severalValues,
    )
    .option("--jwks <file-or-url>", "the public keys to trust (default: the bundled ones)")
    .option("--organizations <n>", "organizations to start with", wholeNumber(3, 100_000))
    .option(
      "--list [word]",
      "list faults and variants instead, or those whose name or title has a word",
    )
    .addHelpText(
      "after",
      `
The profile goes to stdout, everything else to stderr. Ctrl-C stops it.

Examples:
  orgsync-conformance serve > receiver.yaml
  orgsync-conformance serve --port 8080 --fault expiry-unchecked
  orgsync-conformance serve --list
  orgsync-conformance serve --list audience`,
    )
    .action(async (flags: ServeFlags) => {
      const { listPatches, serve } = await import("./run.ts");
      if (flags.list) listPatches(io.stdout, flags.list === true ? "" : flags.list);
      else await serve(flags, io);
      settle(0);
    });
}
