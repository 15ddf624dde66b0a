import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import type { AttestFlags } from "./flags.ts";

/** Adds `attest`, which signs what a report says, to the program. */
export function addAttest(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("attest")
    .description("Sign what a report says, so that others can check who says so.")
    .argument("<report.json>", "the report of a whole run")
    .option("--key <jwk>", "file with the private JWK that signs")
    .option(
      "-o, --out <file>",
      "where the attestation goes (default: attestation.json beside the report)",
    )
    .option(
      "--predicate <file>",
      "write the predicate alone there, for who signs it otherwise; no key is needed then",
    )
    .addHelpText(
      "after",
      `
It judges the report again first, as \`verify\` does, and attests no report that is not consistent, that
left out part of the contract, that was interrupted, or that had a baseline.

The attestation is an in-toto statement with the predicate test-result v0.1 about the SHA-256 of the
report, in a DSSE envelope. Its result is PASSED where the verdict is conformant, WARNED where it is
and a SHOULD is violated, and FAILED otherwise: a run that is incomplete has not passed.

Exits 0 when it is attested, 1 when the report is not consistent, 2 when it cannot be attested.

Examples:
  orgsync-conformance attest reports/report.json --key attestation.jwk
  orgsync-conformance attest reports/report.json --predicate predicate.json
  orgsync-conformance verify reports/report.json --attestation reports/attestation.json \\
    --keys https://vendor.example.com/attestation-keys.json`,
    )
    .action(async (file: string, flags: AttestFlags) => {
      const { attest } = await import("./run.ts");
      settle(await attest(file, flags, io));
    });
}
