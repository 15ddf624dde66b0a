import type { Command } from "commander";

import type { CommandIo } from "../../io.ts";
import { severalValues } from "../../options.ts";
import type { InitFlags } from "./flags.ts";

export function addInit(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("init")
    .description("Write a profile, make keys, and list what the deployment must be given.")
    .option("-p, --profile <file>", "what to write", "orgsync.yaml")
    .option("--base-url <url>", "the deployment's base URL")
    .option(
      "--claims-namespace <name>",
      "its {claims_namespace}: the name of the binding claim without /org_id",
    )
    .option("--issuer <url>", "`iss` of the suite's tokens (default: https://issuer.example.com)")
    .option(
      "--authorization-server <url>",
      "issuer of the deployment's own authorization server, to judge it too",
    )
    .option("--service-client <id>", "a client_id that is registered there for client credentials")
    .option("--code-client <id>", "a client_id that is registered there for authorization code")
    .option("--no-test-issuer", "the deployment trusts no issuer but its own: no keys are made")
    .option("--audience <name>", "`aud` of the suite's tokens (default: the base URL)")
    .option("--subject <name>", "`sub` of the suite's tokens (default: svc-conformance)")
    .option("--primary <uuid>", "the organization of most requests (default: a new UUID)")
    .option("--other <uuid>", "a second one that the subject may act on (default: a new UUID)")
    .option(
      "--denied-subject <name>",
      "`sub` that may act on the second organization and not on the first (default: svc-partner)",
    )
    .option(
      "--denied <uuid>",
      "one that local policy forbids to --denied-subject or else --subject (default: the first)",
    )
    .option("--openapi <file-or-url>", "the deployment's OpenAPI document")
    .option(
      "--pack <name>",
      "a pack to judge beside the contract, such as commongrants; repeatable (default: the one of the protocol that the document describes)",
      severalValues,
    )
    .option("--no-pack", "the contract alone")
    .option("--writes", "consent to change the primary organization")
    .option("--no-writes", "no consent, which is the default")
    .option(
      "--keys <folder>",
      "keys of the test issuer; made if missing, and made beside it if it holds the bundled keys",
      "keys",
    )
    .option("--ticket <file>", "also write to a file what the deployment must be given")
    .option("--yes", "ask nothing: use the defaults for everything that no flag sets")
    .option("--force", "overwrite the profile and the ticket; keys are never overwritten")
    .addHelpText(
      "after",
      `
At a terminal it asks for everything that no flag sets. Elsewhere it uses the defaults, and needs
--base-url. What the deployment must be given goes to stdout, everything else to stderr.

Exits 0 when the profile is written, 2 when it cannot be written, 130 when cancelled, with no file
written.

Examples:
  orgsync-conformance init
  orgsync-conformance init --base-url https://sync.example.com/common-grants --ticket ticket.txt
  orgsync-conformance init --base-url https://sync.example.com \\
    --authorization-server https://auth.example.com --service-client conformance --no-test-issuer
  orgsync-conformance init --yes --base-url http://127.0.0.1:8080 --openapi openapi.yaml --writes`,
    )
    .action(async (flags: InitFlags) => {
      const { init } = await import("./run.ts");
      settle(await init(flags, io));
    });
}
