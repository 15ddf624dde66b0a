import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { ENV, repeatable, UNTRUSTED, wholeNumber } from "../../options.ts";
import type { VerifyFlags } from "./flags.ts";

/** Adds `verify`, which judges a report again, to the program. */
export function addVerify(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("verify")
    .description("Judge a report again from what is recorded in it.")
    .argument("<report.json>", "the report of a run")
    .option("--attestation <file>", "check that this attests it")
    .option("--keys <jwks>", "JWK Set, a file or https URL, of those whose signature counts")
    .option("--live <profile>", "ask the deployment itself: run a sample of its cases again")
    .option("--sample <n>", "cases in that sample (default: 40)", wholeNumber(1, 10_000))
    .option(
      "--seed <n>",
      "seed of the sample (default: drawn, and printed)",
      wholeNumber(0, 4_294_967_295),
    )
    .option("--read-only", "with --live, send no PATCH and no POST at all")
    .option(
      "--allow-bundled-keys",
      "with --live, use the bundled keys, which are public, against a host that is not loopback",
    )
    .option("--untrusted", `with --live, ${UNTRUSTED}`)
    .option("--env <name>", `with --untrusted, ${ENV}`, repeatable)
    .option("--json", "for machines")
    .addHelpText(
      "after",
      `
By itself it sends nothing, and says whether the report is consistent: whether each outcome follows
from its evidence, every rule and case is there, and counts and verdict follow. It names what it could
not judge again. --attestation says who attests the report. --live says whether it is true: nothing
else finds a report whose answers were all forged consistently. It writes if the profile consents.

Exits 0 when all of that holds, 1 when something does not, 2 when something cannot be read, another
version of the suite made the report, or the deployment could not be asked.

Examples:
  orgsync-conformance verify reports/report.json
  orgsync-conformance verify reports/report.json --attestation attestation.json --keys keys.json
  orgsync-conformance verify reports/report.json --live orgsync.yaml --sample 40`,
    )
    .action(async (file: string, flags: VerifyFlags) => {
      const { verify } = await import("./run.ts");
      settle(await verify(file, flags, io));
    });
}
