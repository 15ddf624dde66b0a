import { dirname, resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { displayPath, isWithin, realPath } from "../lib/paths.ts";
import { literalSecrets } from "./authorization-server-schema.ts";
import { replacePlaceholders } from "./placeholders.ts";
import { problemsOf } from "./problems.ts";
import type { Profile } from "./profile.ts";
import { profileSchema } from "./schema.ts";
import { type Problem, type ProfilePath, readTextFile, unusable } from "./text-file.ts";
import { parseText, type Position } from "./yaml.ts";

const HINT = "A profile needs one line: `baseUrl: https://sync.example.com/common-grants`.";

/** The surroundings in which a profile is read. */
export interface Surroundings {
  /**
   * An absolute folder. Relative paths start here, and messages name files relative to it. Default:
   * the process's working directory.
   */
  readonly cwd?: string | undefined;
  /** The variables for `${env:NAME}`. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Whether the profile is untrusted. It may then name no file outside its folder and no host on this
   * machine or in a private network, and `env` defaults to no variables. Default: false.
   */
  readonly untrusted?: boolean | undefined;
}

export interface LoadedProfile {
  readonly profile: Profile;
  /** The absolute path of its file. Absent for a profile given as an object. */
  readonly file?: string | undefined;
  /** The absolute folder where relative paths of the profile start. */
  readonly folder: string;
  /** The absolute folder to which messages name files relatively. */
  readonly cwd: string;
  readonly untrusted: boolean;
  /** The values that replaced `${env:…}`. */
  readonly secrets: readonly string[];
  /** What it says openly, as one text. Headers are left out, because they may hold credentials. */
  readonly openly: string;
  /** The name of a value in messages: `<file>:<line>:<column>: <path>`; without a file the path. */
  readonly where: (path: ProfilePath) => string;
}

/**
 * Reads a profile: YAML 1.2 or JSON, UTF-8, at most 64 KiB. Replaces `${env:NAME}` from the environment.
 * @param file the path, as messages show it
 * @throws {SuiteError} when it cannot be read, or with all its problems, each with line and column
 */
export function loadProfile(file: string, surroundings: Surroundings = {}): LoadedProfile {
  const { cwd = process.cwd() } = surroundings;
  const { value, problems, positionOf } = parseText(readTextFile(file, "profile", HINT, { cwd }));
  const place = ({ line, column }: Position): string => `${file}:${line}:${column}`;
  if (problems.length > 0) {
    const lines = problems.map((problem) => `${place(problem)}: ${problem.text}`);
    throw unusable(file, "profile", lines);
  }
  return check(value ?? {}, surroundings, {
    name: file,
    file: resolve(cwd, file),
    folder: dirname(resolve(cwd, file)),
    where: (path, at = "value") => `${place(positionOf(path, at))}: ${nameOf(path)}`,
    order: (a, b) => {
      const [first, second] = [positionOf(a.path, a.at), positionOf(b.path, b.at)];
      return first.line - second.line || first.column - second.column;
    },
  });
}

/**
 * Checks a profile given as an object, with the same keys, defaults and placeholders as a file.
 * @param folder where its relative paths start, relative to `cwd`; default: `cwd`
 * @throws {SuiteError} with all its problems, each with its path
 */
export function profileFromObject(
  value: unknown,
  folder = ".",
  surroundings: Surroundings = {},
): LoadedProfile {
  const own = resolve(surroundings.cwd ?? process.cwd(), folder);
  const source = { name: "The profile", folder: own, where: nameOf, order: () => 0 };
  return check(value, surroundings, source);
}

interface Source {
  readonly name: string;
  readonly file?: string;
  readonly folder: string;
  readonly where: (path: ProfilePath, at?: Problem["at"]) => string;
  readonly order: (a: Problem, b: Problem) => number;
}

function check(raw: unknown, surroundings: Surroundings, source: Source): LoadedProfile {
  const { name, file, folder, where, order } = source;
  const { cwd = process.cwd(), untrusted = false } = surroundings;
  const { env = untrusted ? {} : process.env } = surroundings;
  const absent = untrusted ? "not named with --env" : "not set";
  const { value, secrets, problems: misplaced } = replacePlaceholders(raw, env, absent);
  const { data, error } = profileSchema.safeParse(value);
  const unfit = error ? problemsOf(error.issues, value) : [];
  // Drop follow-on problems of a value that still holds its placeholder or could not be copied.
  const known = new Set(misplaced.map(({ path }) => path.join("/")));
  const problems = [
    ...misplaced,
    ...literalSecrets(raw),
    ...unfit.filter(({ path }) => !known.has(path.join("/"))),
  ];
  if (!data || problems.length > 0) {
    const lines = problems
      .toSorted(order)
      .map(({ path, at, text }) => `${where(path, at)} ${text}`);
    const hint =
      "In this package, fixtures/profiles/full.yaml shows every key, and fixtures/profile.schema.json lets editors check them.";
    throw unusable(name, "profile", lines, hint);
  }
  return { profile: data, file, folder, cwd, untrusted, secrets, openly: saidIn(raw), where };
}

function saidIn(value: unknown): string {
  return (
    JSON.stringify(value, (name, member: unknown) => (name === "headers" ? undefined : member)) ??
    ""
  );
}

function nameOf(path: ProfilePath): string {
  if (path.length === 0) return "the profile";
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);
}

/**
 * Finds a file or folder that a profile names. An untrusted profile may only name files in its own folder and below, by
 * real path. Nothing outside is accessed, not even to see whether it exists.
 * @param path as written in the profile
 * @returns the absolute path
 * @throws SuiteError where the profile must not name it; the message does not say where the profile does
 */
export function ownFile({ folder, cwd, untrusted }: LoadedProfile, path: string): string {
  const file = resolve(folder, path);
  if (!untrusted) return file;
  if (isWithin(folder, file) && isWithin(realPath(folder), realPath(file))) return file;
  throw new SuiteError("ERR_PROFILE", `${displayPath(file, cwd)} is outside the profile's folder`, {
    hint: "With --untrusted a profile may name files in its own folder and below.",
  });
}
