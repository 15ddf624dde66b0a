import { type Command, Option } from "commander";

import type { CommandIo } from "../../io.ts";
import { chance, ENV, severalValues, UNTRUSTED, wholeNumber } from "../../options.ts";
import type { VerifyFlags } from "./flags.ts";

export function addVerify(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("verify")
    .description("Judge a report again from what is recorded in it.")
    .argument("<report.json>", "the report of a run")
    .argument("[base-url]", "with --live, the deployment's base URL; overrides the profile's")
    .option("--attestation <file>", "check this attestation of the report")
    .option(
      "--keys <jwks>",
      "JWK Set with the keys to trust for the attestation, a file or https URL",
    )
    .option(
      "--pack <file>",
      "a pack of yours that the report has (default: the suite's own)",
      severalValues,
    )
    .option("--live <profile>", "run a sample of the cases again on the deployment")
    .option("--sample <n>", "cases in that sample (default: 40)", wholeNumber(1, 10_000))
    .option(
      "--power <chance>",
      "instead, as many cases as find one of --wrong with this chance, such as 0.95",
      chance,
    )
    .option(
      "--wrong <n>",
      "the number of wrong cases that the chance is about (default: 5)",
      wholeNumber(1, 10_000),
    )
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
    .option("--env <name>", `with --untrusted, ${ENV}`, severalValues)
    .addOption(
      new Option("--require <verdict>", "exit 3 where the verdict is another one").choices([
        "conformant",
      ]),
    )
    .option("--json", "print the result as JSON")
    .option("--report <format>", "also write a page about the result: html", severalValues)
    .option(
      "-o, --out <file>",
      "where that page goes (default: verification.html beside the report)",
    )
    .addHelpText(
      "after",
      `
Without --live it sends nothing. It checks whether the report is consistent: every rule and case is
there, each outcome follows from its evidence, and the counts and the verdict follow from the
outcomes. It names what it could not judge again. --attestation checks who signed the report. --live
checks whether it is true, and is the only way to detect a consistently forged report. --live writes
to the deployment if the profile consents to writes.

Exits 0 when everything holds, also if the verdict is non-conformant, 1 when something does not, 2
when a file cannot be read, another version of the suite made the report, or the deployment could
not be asked. With --require conformant it exits 3 when everything holds, but the verdict is
another.

Examples:
  orgsync-conformance verify reports/report.json
  orgsync-conformance verify reports/report.json --attestation attestation.json --keys keys.json
  orgsync-conformance verify reports/report.json --live orgsync.yaml --sample 40
  orgsync-conformance verify reports/report.json --live orgsync.yaml --power 0.95 --wrong 5
  orgsync-conformance verify reports/report.json --require conformant
  orgsync-conformance verify reports/report.json --report html`,
    )
    .action(async (file: string, baseUrl: string | undefined, flags: VerifyFlags) => {
      const { verify } = await import("./run.ts");
      settle(await verify(file, baseUrl, flags, io));
    });
}
