import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import type { AttestFlags } from "./flags.ts";

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
      "write the predicate alone there, to sign it by other means; no key is needed then",
    )
    .addHelpText(
      "after",
      `
First it judges the report again, as \`verify\` does. It does not attest a report that is not
consistent, that left out part of the contract, that was interrupted, or that had a baseline.

The attestation is an in-toto statement with the predicate test-result v0.1 about the SHA-256 of the
report, in a DSSE envelope. Its result is PASSED if the verdict is conformant, WARNED if it is
conformant but a SHOULD is violated, and FAILED otherwise, also for an incomplete run. The verdicts
on the suite's packs stand beside it, and change nothing of it.

Exits 0 when the report is attested, 1 when it is not consistent, 2 when it cannot be attested.

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
