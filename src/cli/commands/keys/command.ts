import { join, resolve } from "node:path";

import type { Command } from "commander";

import { untilStopped, type CommandIo } from "../../io.ts";
import { port, severalValues } from "../../options.ts";

interface GenerateFlags {
  readonly algorithm?: readonly string[];
}

interface KeyServerFlags {
  readonly port: number;
  readonly host: string;
  readonly issuer?: string;
}

export function addKeys(program: Command, io: CommandIo, settle: (code: number) => void): void {
  const keys = program
    .command("keys")
    .description("Make and publish the keys of a test issuer.")
    .helpCommand("help [command]", "Show the help of a command.");
  keys
    .command("generate")
    .description("Make a folder with jwks.json, which a deployment trusts, and private.jwks.json.")
    .argument("<folder>", "created if missing; keys are never overwritten")
    .option(
      "--algorithm <name>",
      "makes one key, or two for the first one named; repeatable, or with commas (default: RS256, PS256, ES256, EdDSA)",
      severalValues,
    )
    .addHelpText(
      "after",
      `
Examples:
  orgsync-conformance keys generate ./keys
  orgsync-conformance keys generate ./keys --algorithm RS256 --algorithm ES256`,
    )
    .action(async (folder: string, flags: GenerateFlags) => {
      await generate(folder, flags, io);
      settle(0);
    });
  keys
    .command("serve")
    .description("Publish jwks.json and issuer metadata, for deployments that fetch keys by URL.")
    .argument("<folder>", "the folder that holds jwks.json")
    .option("--port <n>", "port to listen on, 0 for any free port", port, 0)
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option(
      "--issuer <url>",
      "the issuer of the metadata, the profile's `testIssuer.url` (default: the URL served at)",
    )
    .addHelpText(
      "after",
      `
The URL of the keys goes to stdout, everything else to stderr. Ctrl-C stops it.

Examples:
  orgsync-conformance keys serve ./keys --port 8081
  orgsync-conformance keys serve ./keys --host 0.0.0.0 --issuer https://issuer.example.com`,
    )
    .action(async (folder: string, flags: KeyServerFlags) => {
      await serve(folder, flags, io);
      settle(0);
    });
  // Set last, because commands copy this setting when they are added, and their own messages need no hint.
  keys.showHelpAfterError("Try orgsync-conformance keys --help.");
}

async function generate(folder: string, flags: GenerateFlags, io: CommandIo): Promise<void> {
  const { generateKeys } = await import("../../../keys/generate.ts");
  const { keys } = await generateKeys(resolve(io.cwd, folder), { algorithms: flags.algorithm });
  io.stdout.write(
    [
      ...keys.map(({ alg, kid }) => `${alg.padEnd(8)} ${kid}`),
      "",
      `${join(folder, "jwks.json")}          public keys, for the deployment, or for those who check what you attest`,
      `${join(folder, "private.jwks.json")}  private keys, which sign; keep them secret`,
      "",
      "If they are the keys of a test issuer, name the folder in the profile:",
      `  testIssuer: { keys: ${JSON.stringify(folder)} }`,
      "",
    ].join("\n"),
  );
}

async function serve(folder: string, flags: KeyServerFlags, io: CommandIo): Promise<void> {
  const { serveKeys } = await import("../../../keys/serve.ts");
  const server = await serveKeys({ ...flags, folder: resolve(io.cwd, folder) });
  const blocked = untilStopped(io);
  io.stdout.write(`${server.url}/.well-known/jwks.json\n`);
  io.stderr.write(
    `Issuer metadata: ${server.url}/.well-known/openid-configuration; Ctrl-C stops.\n`,
  );
  await blocked;
  await server.close();
}
