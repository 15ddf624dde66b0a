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
  /** Says, in a sentence, why this target was chosen; absent when the command line names it. */
  readonly note?: string;
  readonly profile?: string | undefined;
  /** Set when the target is the reference receiver, started for this run. */
  readonly embedded?: true;
  /** The arguments by which the command line named the target. */
  readonly told?: readonly string[];
  /** Stops the servers that were started for this target. */
  close(): Promise<void>;
}

type ReadingOptions = Pick<DocumentOptions, "signal" | "thread" | "onText">;

/** This variant paginates a request body. Without it one rule would have nothing to judge. */
const JUDGES_EVERY_RULE = "submit-paginated";

/**
 * Finds the deployment to certify: a base URL, a profile or both. With neither, it starts the reference
 * receiver. Prints why this target was chosen, and closes it after use.
 * @param reading how the OpenAPI document is read
 * @throws SuiteError when the profile, the base URL, the keys or the OpenAPI document cannot be used
 * @throws Interrupted when the signal aborts
 */
export async function withRunTarget<T>(
  baseUrl: string | undefined,
  flags: TargetFlags & { readonly dryRun?: boolean },
  io: Pick<CommandIo, "cwd" | "env" | "stderr">,
  use: (chosen: RunTarget) => T | Promise<T>,
  reading: ReadingOptions = {},
): Promise<T> {
  const chosen = await findRunTarget(baseUrl, flags, io, reading);
  try {
    if (chosen.note !== undefined) io.stderr.write(`${chosen.note}\n`);
    return await use(chosen);
  } finally {
    await chosen.close();
  }
}

async function findRunTarget(
  baseUrl: string | undefined,
  flags: TargetFlags & { readonly dryRun?: boolean },
  io: Pick<CommandIo, "cwd" | "env">,
  reading: ReadingOptions,
): Promise<RunTarget> {
  const { cwd } = io;
  const { readOnly, allowBundledKeys, untrusted, dryRun: offline } = flags;
  const env = namedVariables(flags, io);
  const file = profileFile(flags.profile, cwd);
  if (file === undefined && baseUrl === undefined) return startEmbedded(readOnly, offline);
  const target = findTarget({
    profile: file,
    baseUrl,
    readOnly,
    allowBundledKeys,
    cwd,
    env,
    untrusted,
  });
  return {
    target: await withDocument(target, { offline, cwd, ...reading }),
    profile: file,
    told: [
      ...(baseUrl === undefined ? [] : [baseUrl]),
      ...(flags.profile === undefined ? [] : ["--profile", flags.profile]),
      ...(readOnly ? ["--read-only"] : []),
      ...(allowBundledKeys ? ["--allow-bundled-keys"] : []),
      ...(untrusted ? ["--untrusted"] : []),
      ...(flags.env ?? []).flatMap((name) => ["--env", name]),
    ],
    ...(file !== flags.profile && { note: `The profile is ${file}.` }),
    close: () => Promise.resolve(),
  };
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

async function startEmbedded(
  readOnly: boolean | undefined,
  offline: boolean | undefined,
): Promise<RunTarget> {
  const { startReference } = await import("../reference/index.ts");
  const reference = await startReference({
    jwks: join(BUNDLED_KEYS, PUBLIC_FILE),
    variants: [JUDGES_EVERY_RULE],
    authorizationServer: true,
  });
  try {
    const target = resolveTarget({ profile: profileFromObject(reference.profile), readOnly });
    return {
      target: await withDocument(consentsHere(target), { offline, trusted: true }),
      note: "Neither base URL nor profile: this certifies the embedded reference receiver and its authorization server.",
      embedded: true,
      close: () => reference.close(),
    };
  } catch (error) {
    await reference.close();
    throw error;
  }
}
