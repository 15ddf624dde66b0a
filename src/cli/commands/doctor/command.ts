import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { BUNDLED_KEYS, ENV, PROFILE, severalValues, UNTRUSTED } from "../../options.ts";
import type { DoctorFlags } from "./flags.ts";

export function addDoctor(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("doctor")
    .description(
      "Check the set-up before a run: what is right, what is wrong, and what to change where.",
    )
    .argument("[base-url]", "the deployment's base URL; overrides the profile's")
    .option("-p, --profile <file>", PROFILE)
    .option("--allow-bundled-keys", BUNDLED_KEYS)
    .option("--untrusted", UNTRUSTED)
    .option("--env <name>", ENV, severalValues)
    .option(
      "--expect-untrusted <base-url>",
      "only check whether that deployment (for example production) refuses the test issuer's good tokens",
    )
    .option(
      "--writes",
      "also send the good request of each write operation once, where the profile has writes: true",
    )
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
It sends about a dozen requests, or about thirty when no token is accepted. Without --writes it
sends no PATCH and no POST. With it, once all else is right, it sends one of each to
organizations.primary, restores the edited members that the view showed, and names what stays.

Exits 0 when ready, 3 when not ready, 2 when the deployment cannot be reached or the profile cannot
be used, 130 when interrupted.

With --expect-untrusted it exits 0 when the tokens are refused in the same way as forged ones, 1
when one is accepted, 3 when the answers do not show it.

Examples:
  orgsync-conformance doctor
  orgsync-conformance doctor --profile staging.yaml --writes
  orgsync-conformance doctor https://sync.example.com/common-grants --json
  orgsync-conformance doctor --expect-untrusted https://sync.example.com/common-grants`,
    )
    .action(async (baseUrl: string | undefined, flags: DoctorFlags) => {
      const { doctor } = await import("./run.ts");
      settle(await doctor(baseUrl, flags, io));
    });
}
