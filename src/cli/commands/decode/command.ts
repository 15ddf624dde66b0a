import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import type { DecodeFlags } from "./flags.ts";

export function addDecode(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("decode")
    .description("Explain an access token, check by check in the receiver's order; sends nothing.")
    .argument("[token...]", "the token, with or without `Bearer`; stdin when absent or `-`")
    .option("-p, --profile <file>", "the target profile (default: orgsync.yaml, if it exists)")
    .addHelpText(
      "after",
      `
The token is checked against the keys, issuer, audience and organizations of the profile. Without a
profile only the token itself is judged. Checks that only a receiver can judge are listed as not
known, and what the contract leaves to receivers as open. The token is never printed. An argument
stays in your shell's history; stdin does not.

Exits 0 when no check fails that can be judged, 1 when one does, 2 when it is not a JWT.

Examples:
  orgsync-conformance token audience/other | orgsync-conformance decode
  orgsync-conformance decode "$TOKEN" --profile orgsync.yaml`,
    )
    .action(async (words: readonly string[], flags: DecodeFlags) => {
      const { explainToken } = await import("./run.ts");
      settle(await explainToken(words.join(" "), flags, io));
    });
}
