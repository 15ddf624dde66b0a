import { type Command, Option } from "commander";

import type { CommandIo } from "../../io.ts";
import type { TokenFlags } from "./flags.ts";

export function addToken(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("token")
    .description(
      "Print one access token for curl, good or with one mutation. Only --client sends requests.",
    )
    .argument("[mutation]", "what is changed in it, as cases name it, or `good`", "good")
    .option("-p, --profile <file>", "the target profile (default: orgsync.yaml, if it exists)")
    .option(
      "--operation <id>",
      "the operation of the request (default: the first that the mutation applies to)",
    )
    .option(
      "--organization <uuid>",
      "the organization of the request (default: organizations.primary)",
    )
    .option("--unbound", "not bound to the organization, if the mutation leaves that open")
    .addOption(
      new Option("--typ <typ>", "the header typ of a good token")
        .choices(["JWT", "at+jwt", "none"])
        .default("JWT"),
    )
    .option(
      "--allow-bundled-keys",
      "use the bundled keys, which are public, for a host that is not loopback",
    )
    .option("--list", "list the mutations, with the receiver check that each one fails")
    .option(
      "--client <name>",
      "run the flow of a client of the authorization server, and print its token's content",
    )
    .addHelpText(
      "after",
      `
Only the token goes to stdout; how it differs from a good one, and how to send it, go to stderr. It
is valid for ten minutes. For mutations of the request use \`replay\` and \`run --rule\`.

Examples:
  orgsync-conformance token --list
  orgsync-conformance token audience/other --profile orgsync.yaml
  orgsync-conformance token scope/all-others --operation editOrganization
  TOKEN=$(orgsync-conformance token)
  orgsync-conformance token --client admin`,
    )
    .action(async (mutation: string, flags: TokenFlags) => {
      const { listMutations, printToken } = await import("./run.ts");
      if (flags.client !== undefined) {
        const { issueToken } = await import("./issue-token.ts");
        await issueToken(flags.client, flags, io);
      } else if (flags.list) listMutations(flags, io);
      else await printToken(mutation, flags, io);
      settle(0);
    });
}
