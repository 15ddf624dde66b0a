import { type Command, Option } from "commander";

import type { CommandIo } from "../../io.ts";
import { BUNDLED_KEYS, ENV, jsonObject, severalValues, UNTRUSTED } from "../../options.ts";
import type { TokenFlags } from "./flags.ts";

export function addToken(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("token")
    .description(
      "Print one access token for curl, good or with one mutation. Sends nothing to the receiver.",
    )
    .argument("[mutation]", "what is changed in it, as cases name it, or `good`", "good")
    .argument("[base-url]", "the deployment's base URL; overrides the profile's")
    .option("-p, --profile <file>", "the target profile (default: orgsync.yaml, if it exists)")
    .option(
      "--operation <id>",
      "the operation of the request (default: the first that the mutation applies to)",
    )
    .option(
      "--organization <uuid>",
      "the organization of the request (default: `organizations.primary`)",
    )
    .option("--unbound", "not bound to the organization, if the mutation leaves that open")
    .addOption(
      new Option("--typ <typ>", "the header `typ` of a good token")
        .choices(["JWT", "at+jwt", "none"])
        .default("JWT"),
    )
    .option("--mutation <name>", "which change, where a case makes several")
    .option("--allow-bundled-keys", BUNDLED_KEYS)
    .option("--untrusted", UNTRUSTED)
    .option("--env <name>", ENV, severalValues)
    .option(
      "--claims <json>",
      "these claims and no others, in place of those of a good token",
      jsonObject,
    )
    .option("--header <json>", "this header, in place of that of a good token", jsonObject)
    .addOption(
      new Option(
        "--key <whose>",
        "with --claims or --header: the key of the signature, `other` for one that nobody trusts",
      ).choices(["issuer", "other", "none"]),
    )
    .option("--quiet", "print nothing but the token")
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

In --claims, "now", "now+600" and "now-60" as the value of exp, iat, nbf or auth_time stand for a
time, and \${unique} for a text that no other token has.

Without a test issuer in the profile, the authorization server issues the token that is changed. It
is printed into a pipe or a variable, never on a terminal.

Examples:
  orgsync-conformance token --list
  orgsync-conformance token audience/other --profile orgsync.yaml
  orgsync-conformance token scope/all-others --operation editOrganization
  TOKEN=$(orgsync-conformance token --quiet)
  orgsync-conformance token --claims '{"iss":"https://other.example","exp":"now+600"}' --key other
  orgsync-conformance token --client admin`,
    )
    .action(async (mutation: string, baseUrl: string | undefined, flags: TokenFlags) => {
      const { listMutations, printEdited, printToken } = await import("./run.ts");
      if (flags.client !== undefined) {
        const { issueToken } = await import("./issue-token.ts");
        await issueToken(flags.client, flags, io);
      } else if (flags.list) listMutations(flags, io);
      else if (flags.claims ?? flags.header ?? flags.key) await printEdited(baseUrl, flags, io);
      else await printToken(mutation, baseUrl, flags, io);
      settle(0);
    });
}
