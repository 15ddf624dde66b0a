import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { gather, isUrl } from "../../../init/gather.ts";
import { profileText, SECRET_VARIABLES } from "../../../init/profile-text.ts";
import type { Answers } from "../../../init/questions.ts";
import { ticketText } from "../../../init/ticket.ts";
import { PRIVATE_FILE } from "../../../keys/jwks-file.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { makeFolder } from "../../../lib/make-folder.ts";
import { writeWhole } from "../../../lib/write-whole.ts";
import { INSTALLED } from "../../../report/failures.ts";
import { INTERRUPTED } from "../../interrupt.ts";
import type { CommandIo } from "../../io.ts";
import { startedAs } from "../../started-as.ts";
import type { InitFlags } from "./command.ts";
import { type IssuerFolder, issuerFolder } from "./issuer-folder.ts";

/**
 * Implements `init`: collects the answers, makes keys when there are none, writes the profile, and prints
 * what the deployment must be given.
 * @returns the exit code
 * @throws SuiteError when a flag cannot be used, or a file already exists or cannot be written
 */
export async function init(flags: InitFlags, io: CommandIo): Promise<number> {
  const at = (file: string): string => resolve(io.cwd, file);
  for (const file of [flags.profile, flags.ticket]) {
    if (file !== undefined && existsSync(at(file)) && !flags.force) throw inTheWay(file);
  }
  io.stderr.write(`Files are written in ${io.cwd}.\n`);
  const { baseUrl, claimsNamespace, issuer, audience, subject } = flags;
  const { primary, other, denied, deniedSubject, openapi, writes } = flags;
  const { authorizationServer, serviceClient, codeClient } = flags;
  // `--no-test-issuer` sets the flag to false. Without it the answer is not settled yet.
  const testIssuer = flags.testIssuer === false ? false : undefined;
  const server = { authorizationServer, serviceClient, codeClient, testIssuer };
  const given = { baseUrl, claimsNamespace, ...server, issuer, audience, subject };
  const gathered = await gather(
    { ...given, primary, other, denied, deniedSubject, openapi, writes },
    { asker: flags.yes ? undefined : io.ask, fileExists: (file) => existsSync(at(file)) },
  );
  if (!gathered) {
    io.stderr.write("Cancelled: nothing was written.\n");
    return INTERRUPTED;
  }
  const found = gathered.answers.testIssuer
    ? await issuerFolder(flags.keys, { ...gathered.answers, cwd: io.cwd })
    : undefined;
  const folder = dirname(at(flags.profile));
  const document = gathered.answers.openapi;
  const answers = {
    ...gathered.answers,
    openapi: document === undefined || isUrl(document) ? document : fromThere(folder, at(document)),
  };
  const ticket = ticketText(gathered, found);
  await write(
    at(flags.profile),
    profileText(answers, found && fromThere(folder, at(found.folder))),
    flags.profile,
  );
  if (flags.ticket !== undefined) await write(at(flags.ticket), ticket, flags.ticket);
  if (io.ask && !flags.yes) io.stderr.write("\n");
  io.stdout.write(ticket);
  io.stderr.write(
    `\n${written(flags, gathered.answers, found, startedAs(io) ?? INSTALLED).join("\n")}\n`,
  );
  return 0;
}

function written(
  { profile, ticket }: InitFlags,
  answers: Answers,
  found: IssuerFolder | undefined,
  command: readonly string[],
): string[] {
  const named = profile === "orgsync.yaml" ? "" : ` --profile ${profile}`;
  return [
    `${profile} is written.`,
    ...(found ? aboutKeys(found) : []),
    ...aboutSecrets(answers),
    ticket === undefined
      ? "Give the text above to the operators of the deployment."
      : `Give the text above to the operators of the deployment; ${ticket} holds it too.`,
    "When they have done that, run:",
    "",
    `  ${command.join(" ")} doctor${named}`,
  ];
}

/** Names the environment variables for clients' secrets, for which `init` does not ask. */
function aboutSecrets({ serviceClient, codeClient }: Answers): string[] {
  const variables = [
    ...(serviceClient === undefined ? [] : [SECRET_VARIABLES.service]),
    ...(codeClient === undefined ? [] : [SECRET_VARIABLES.admin]),
  ];
  if (variables.length === 0) return [];
  return [`Put the clients' secrets into the environment: ${variables.join(", ")}.`];
}

function aboutKeys({ folder, origin, instead }: IssuerFolder): string[] {
  if (origin === "bundled") {
    return [
      `The keys in ${folder} are the bundled ones. Their private halves are public: use them on this machine only.`,
    ];
  }
  return [
    ...(instead === undefined
      ? []
      : [`The keys in ${instead} are the bundled ones, which are public, so other keys are used.`]),
    origin === "made"
      ? `New keys were made in ${folder}.`
      : `The profile uses the keys in ${folder}.`,
    `Keep ${join(folder, PRIVATE_FILE)} secret; ${join(folder, ".gitignore")} keeps it out of git.`,
  ];
}

/** A path relative to the profile's folder, as the profile names it. */
function fromThere(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll("\\", "/");
  return way.startsWith(".") ? way : `./${way}`;
}

async function write(path: string, text: string, shown: string): Promise<void> {
  try {
    makeFolder(dirname(path));
    await writeWhole(path, text);
  } catch (cause) {
    throw new SuiteError("ERR_PROFILE", `${shown} cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function inTheWay(file: string): SuiteError {
  return new SuiteError("ERR_PROFILE", `${file} already exists`, {
    hint: "Name another file, or overwrite it with --force.",
  });
}
