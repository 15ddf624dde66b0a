import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

import { gather, isUrl } from "../../../init/gather.ts";
import { profileText, SECRET_VARIABLES } from "../../../init/profile-text.ts";
import type { Answers } from "../../../init/questions.ts";
import { ticketText } from "../../../init/ticket.ts";
import { PRIVATE_FILE } from "../../../keys/jwks-file.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { writeWhole } from "../../../lib/write-whole.ts";
import { INTERRUPTED } from "../../interrupt.ts";
import type { CommandIo } from "../../io.ts";
import type { InitFlags } from "./flags.ts";
import { type IssuerFolder, issuerFolder } from "./issuer-folder.ts";

/**
 * What `init` does: finds out what a profile is made from, makes keys where there are none, writes
 * the profile, and says what the deployment must be given.
 * @returns the exit code
 * @throws SuiteError when a flag will not do, or a file is in the way or cannot be written
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
  // The flag is there to say no; that there is a test issuer goes without saying.
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
  io.stderr.write(`\n${written(flags, gathered.answers, found).join("\n")}\n`);
  return 0;
}

function written(
  { profile, ticket }: InitFlags,
  answers: Answers,
  found: IssuerFolder | undefined,
): string[] {
  const named = profile === "orgsync.yaml" ? "" : ` --profile ${profile}`;
  return [
    `${profile} is written.`,
    ...(found ? aboutKeys(found) : []),
    ...aboutSecrets(answers),
    ticket === undefined
      ? "The text above is for those who run the deployment."
      : `The text above is for those who run the deployment; it is in ${ticket} too.`,
    "Once they have done what it says, run:",
    "",
    `  npx --no-install orgsync-conformance doctor${named}`,
  ];
}

/** Where the profile expects the secrets of clients, which nobody was asked for. */
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
      `The keys in ${folder} are the bundled ones. Everybody has their private halves: they serve on this machine only.`,
    ];
  }
  return [
    ...(instead === undefined
      ? []
      : [`The keys in ${instead} are the bundled ones, which are public: others are used here.`]),
    origin === "made" ? `New keys were made in ${folder}.` : `The keys are those in ${folder}.`,
    `Keep ${join(folder, PRIVATE_FILE)} to yourself; ${join(folder, ".gitignore")} keeps it out of git.`,
  ];
}

/** A path as the profile names it, which is found from the profile's folder. */
function fromThere(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll("\\", "/");
  return way.startsWith(".") ? way : `./${way}`;
}

async function write(path: string, text: string, shown: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, text);
  } catch (cause) {
    throw new SuiteError("ERR_PROFILE", `${shown} cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function inTheWay(file: string): SuiteError {
  return new SuiteError("ERR_PROFILE", `${file} is there already`, {
    hint: "Name another one, or overwrite it with --force.",
  });
}
