import { join } from "node:path";

import type { DocumentOptions } from "../document/open.ts";
import { withDocument } from "../document/with-document.ts";
import { PUBLIC_FILE } from "../keys/jwks-file.ts";
import { SuiteError } from "../lib/errors.ts";
import { BUNDLED_KEYS } from "../profile/issuer-keys.ts";
import { loadProfile, profileFromObject } from "../profile/load.ts";
import { findTarget, resolveTarget } from "../profile/resolve.ts";
import type { Target } from "../profile/target.ts";
import { consentsHere } from "./consents.ts";
import type { CommandIo } from "./io.ts";
import type { TargetFlags } from "./options.ts";
import { profileFile } from "./profile-file.ts";

export interface RunTarget {
  readonly target: Target;
  readonly profile?: string | undefined;
  /** Set when the target is the reference receiver, started for this run. */
  readonly embedded?: true;
  /** The arguments by which the command line named the target. */
  readonly told?: readonly string[];
}

type ReadingOptions = Pick<DocumentOptions, "offline" | "signal" | "thread" | "onText">;

/** This variant paginates a request body. Without it one rule would have nothing to judge. */
const JUDGES_EVERY_RULE = "submit-paginated";

/**
 * Finds the deployment to certify: a base URL, a profile or both. With neither, it starts the reference
 * receiver until the work is done. Prints why this target was chosen, where the command line does not name it.
 * @param reading how the OpenAPI document is read
 * @throws SuiteError when the profile, the base URL, the keys or the OpenAPI document cannot be used
 * @throws Interrupted when the signal aborts
 */
export async function withRunTarget<T>(
  baseUrl: string | undefined,
  flags: TargetFlags,
  io: Pick<CommandIo, "cwd" | "env" | "stderr">,
  use: (chosen: RunTarget) => T | Promise<T>,
  reading: ReadingOptions = {},
): Promise<T> {
  const { cwd } = io;
  const { readOnly, allowBundledKeys, untrusted } = flags;
  const env = namedVariables(flags, io);
  const profile = profileFile(flags.profile, cwd);
  if (profile === undefined && baseUrl === undefined) {
    const isPublished = flags.pack?.includes("commongrants") ?? false;
    return withEmbedded(readOnly, reading.offline, isPublished, (target) => {
      io.stderr.write(
        "Neither base URL nor profile: this certifies the embedded reference receiver and its authorization server.\n",
      );
      return use({ target, embedded: true });
    });
  }
  const named = { profile, baseUrl, readOnly, allowBundledKeys, cwd, env, untrusted };
  const target = await withDocument(findTarget(named), { cwd, ...reading });
  if (profile !== flags.profile) io.stderr.write(`The profile is ${profile}.\n`);
  return use({ target, profile, told: toldOf(baseUrl, flags) });
}

/** The arguments by which a command line names its target. */
export function toldOf(
  baseUrl: string | undefined,
  { profile, readOnly, allowBundledKeys, untrusted, env }: TargetFlags,
): string[] {
  return [
    ...(baseUrl === undefined ? [] : [baseUrl]),
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(readOnly ? ["--read-only"] : []),
    ...(allowBundledKeys ? ["--allow-bundled-keys"] : []),
    ...(untrusted ? ["--untrusted"] : []),
    ...(env ?? []).flatMap((name) => ["--env", name]),
  ];
}

async function withEmbedded<T>(
  readOnly: boolean | undefined,
  offline: boolean | undefined,
  isPublished: boolean,
  use: (target: Target) => T | Promise<T>,
): Promise<T> {
  const { startReference } = await import("../reference/index.ts");
  const reference = await startReference({
    jwks: join(BUNDLED_KEYS, PUBLIC_FILE),
    variants: [JUDGES_EVERY_RULE],
    authorizationServer: true,
    // CommonGrants names the binding claim.
    ...(isPublished && { claimsNamespace: "https://commongrants.org" }),
  });
  try {
    const target = resolveTarget({ profile: profileFromObject(reference.profile), readOnly });
    return await use(await withDocument(consentsHere(target), { offline, trusted: true }));
  } finally {
    await reference.close();
  }
}

/**
 * The environment variables that the profile may use: all of them, or those of `--env` for an untrusted profile.
 * @throws SuiteError when `--env` is given for a trusted profile
 */
export function namedVariables(
  { untrusted = false, env: names }: Pick<TargetFlags, "untrusted" | "env">,
  { env }: Pick<CommandIo, "env">,
): CommandIo["env"] {
  if (untrusted) return Object.fromEntries((names ?? []).map((name) => [name, env[name]]));
  if (names === undefined) return env;
  throw new SuiteError("ERR_FLAG", "--env has no meaning without --untrusted", {
    hint: "A profile that is trusted may use every variable.",
  });
}

/**
 * The target that a profile describes, for commands that send nothing. Uses the named profile, or else the
 * default one; `undefined` when neither exists.
 * @throws SuiteError when the profile or the keys cannot be used
 */
export function profiledTarget(
  flags: Pick<TargetFlags, "profile">,
  { cwd, env }: Pick<CommandIo, "cwd" | "env">,
): Target | undefined {
  const file = profileFile(flags.profile, cwd);
  if (file === undefined) return undefined;
  return resolveTarget({ profile: loadProfile(file, { cwd, env }) });
}
