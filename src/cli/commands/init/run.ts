import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, basename } from "node:path";

import { gather, isUrl, type Answers } from "../../../init/gather.ts";
import { profileText, SECRET_VARIABLES } from "../../../init/profile-text.ts";
import { type TicketKeys, ticketText } from "../../../init/ticket.ts";
import { generateKeys, ignorePrivateKeys } from "../../../keys/generate.ts";
import { PRIVATE_FILE, PUBLIC_FILE } from "../../../keys/jwks-file.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { makeFolder } from "../../../lib/make-folder.ts";
import { systemReason } from "../../../lib/system-error.ts";
import { isLoopbackHost } from "../../../lib/uri.ts";
import { writeWhole } from "../../../lib/write-whole.ts";
import { hasBundledKey, loadIssuerKeys } from "../../../profile/issuer-keys.ts";
import { resolveTarget } from "../../../profile/resolve.ts";
import { INSTALLED } from "../../../report/commands.ts";
import { INTERRUPTED, type CommandIo, startedAs } from "../../io.ts";
import { loadPacks } from "../../packs.ts";
import type { InitFlags } from "./flags.ts";

/**
 * Implements `init`: collects the answers, makes keys when there are none, writes the profile, and prints what the
 * deployment must be given.
 * @throws SuiteError when a flag cannot be used, or a file already exists or cannot be written
 */
export async function init(flags: InitFlags, io: CommandIo): Promise<number> {
  const at = (file: string): string => resolve(io.cwd, file);
  const { profile, keys, ticket: ticketFile, yes, force, pack, ...given } = flags;
  for (const file of [profile, ticketFile]) {
    if (file !== undefined && existsSync(at(file)) && !force) throw inTheWay(file);
  }
  const packs = pack === false ? [] : pack;
  if (packs) await loadPacks(packs);
  io.stderr.write(`Files are written in ${io.cwd}.\n`);
  const gathered = await gather(
    // `--no-test-issuer` sets the flag to false. Without it the answer is not settled yet.
    { ...given, packs, testIssuer: given.testIssuer === false ? false : undefined },
    {
      asker: yes ? undefined : io.ask,
      fileExists: (file) => existsSync(at(file)),
      protocolIn: (openapi, baseUrl) =>
        protocolIn(isUrl(openapi) ? openapi : at(openapi), { baseUrl, cwd: io.cwd }),
    },
  );
  if (!gathered) {
    io.stderr.write("Cancelled: nothing was written.\n");
    return INTERRUPTED;
  }
  const found = gathered.answers.testIssuer
    ? await issuerFolder(keys, { ...gathered.answers, cwd: io.cwd })
    : undefined;
  const folder = dirname(at(profile));
  const document = gathered.answers.openapi;
  const answers = {
    ...gathered.answers,
    openapi: document === undefined || isUrl(document) ? document : fromThere(folder, at(document)),
  };
  const ticket = ticketText(gathered, found);
  const text = profileText(answers, found && fromThere(folder, at(found.folder)));
  await write(at(profile), text, profile);
  if (ticketFile !== undefined) await write(at(ticketFile), ticket, ticketFile);
  if (io.ask && !yes) io.stderr.write("\n");
  io.stdout.write(ticket);
  io.stderr.write(
    `\n${written(flags, gathered.answers, found, startedAs(io) ?? INSTALLED).join("\n")}\n`,
  );
  return 0;
}

/** Longest time to wait for a URL, which a run would try for longer. */
const LOOK_MS = 5000;

/** The pack of the protocol that a document describes. `doctor` says what is wrong with a document that cannot be read. */
async function protocolIn(
  openapi: string,
  { baseUrl, cwd }: { readonly baseUrl: string; readonly cwd: string },
): Promise<string | undefined> {
  try {
    const { openDocument } = await import("../../../document/open.ts");
    const target = resolveTarget({ baseUrl, cwd });
    const signal = isUrl(openapi) ? AbortSignal.timeout(LOOK_MS) : undefined;
    const document = await openDocument(openapi, target, { cwd, signal });
    document.close();
    return document.protocol;
  } catch {
    return undefined;
  }
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
    throw new SuiteError("ERR_PROFILE", `${shown} cannot be written: ${systemReason(cause)}`, {
      cause,
    });
  }
}

function inTheWay(file: string): SuiteError {
  return new SuiteError("ERR_PROFILE", `${file} already exists`, {
    hint: "Name another file, or overwrite it with --force.",
  });
}

interface IssuerFolder extends TicketKeys {
  /** New keys, existing keys, or existing keys whose private halves are public. */
  readonly origin: "made" | "own" | "bundled";
  /** The folder that was not used: it has the bundled keys, and another machine is tested. */
  readonly instead?: string | undefined;
}

/**
 * Finds the keys for a deployment, and makes them when the folder has none. The bundled keys serve only for a
 * deployment on this machine; for any other deployment a folder beside theirs is used. Adds a `.gitignore`
 * for private keys.
 */
async function issuerFolder(
  wanted: string,
  { baseUrl, cwd }: { readonly baseUrl: string; readonly cwd: string },
): Promise<IssuerFolder> {
  const onThisMachine = isLoopbackHost(new URL(baseUrl).hostname);
  const first = resolve(cwd, wanted);
  for (let count = 0; ; count++) {
    const path = count === 0 ? first : beside(first, count);
    const folder = count === 0 ? wanted : relative(cwd, path);
    const passed = count === 0 ? {} : { instead: wanted };
    if (![PUBLIC_FILE, PRIVATE_FILE].some((name) => existsSync(join(path, name)))) {
      const { keys } = await generateKeys(path);
      return { folder, keys, origin: "made", ...passed };
    }
    const keys = loadIssuerKeys(path);
    if (!hasBundledKey(keys)) {
      await ignorePrivateKeys(path);
      return { folder, keys, origin: "own", ...passed };
    }
    if (onThisMachine) return { folder, keys, origin: "bundled" };
  }
}

/** `keys-own`, `keys-own-2` and so on, beside `keys`. */
function beside(folder: string, count: number): string {
  const suffix = count === 1 ? "own" : `own-${count}`;
  return join(dirname(folder), `${basename(folder)}-${suffix}`);
}
