import { type Command, Option } from "commander";

import type { CommandIo } from "../../io.ts";
import type { TokenFlags } from "./flags.ts";

/** Adds `token`, which mints one token to try by hand, to the program. */
export function addToken(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("token")
    .description(
      "Print one access token for curl, good or with one thing wrong; only --client sends anything.",
    )
    .argument("[breakage]", "what is wrong with it, as cases name it", "good")
    .option("-p, --profile <file>", "the target profile (default: orgsync.yaml where there is one)")
    .option("--operation <id>", "the operation that it is for (default: the breakage's first)")
    .option(
      "--organization <uuid>",
      "the organization of the request (default: organizations.primary)",
    )
    .option("--unbound", "not bound to the organization, where the breakage leaves that open")
    .addOption(
      new Option("--typ <typ>", "the header typ of a good token")
        .choices(["JWT", "at+jwt", "none"])
        .default("JWT"),
    )
    .option(
      "--allow-bundled-keys",
      "use the bundled keys, which are public, for a host that is not loopback",
    )
    .option("--list", "list the breakages, with the receiver check that each fails")
    .option(
      "--client <name>",
      "go through the flow of a client of the authorization server, and print what its token says",
    )
    .addHelpText(
      "after",
      `
The token alone goes to stdout; what differs in it, and how to send it, to stderr. It lasts ten
minutes. Breakages that change the request and not the token are left to \`replay\` and \`run --rule\`.

Examples:
  orgsync-conformance token --list
  orgsync-conformance token audience/other --profile orgsync.yaml
  orgsync-conformance token scope/all-others --operation editOrganization
  TOKEN=$(orgsync-conformance token)
  orgsync-conformance token --client admin`,
    )
    .action(async (mutation: string, flags: TokenFlags) => {
      const { listBreakages, printToken } = await import("./run.ts");
      if (flags.client !== undefined) {
        const { issueToken } = await import("./issue-token.ts");
        await issueToken(flags.client, flags, io);
      } else if (flags.list) listBreakages(flags, io);
      else await printToken(mutation, flags, io);
      settle(0);
    });
}
