import { dirname, resolve } from "node:path";

import { literalSecrets } from "./authorization-server-schema.ts";
import { replacePlaceholders } from "./placeholders.ts";
import type { Problem, ProfilePath } from "./problem.ts";
import { problemsOf } from "./problems.ts";
import type { Profile } from "./profile.ts";
import { profileSchema } from "./schema.ts";
import { readTextFile, unusable } from "./text-file.ts";
import { parseText, type Position } from "./yaml.ts";

const HINT = "A profile needs one line: `baseUrl: https://sync.example.com/common-grants`.";

/** Where a profile is read. */
export interface Surroundings {
  /** Absolute; relative paths start here, and messages name files relative to it. Default: the process's. */
  readonly cwd?: string | undefined;
  /** What `${env:NAME}` stands for. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * The profile is somebody else's: it may name no file outside of its folder, nobody on this machine or
   * in a private network, and of the environment only what `env` has, by default nothing. Default: false.
   */
  readonly untrusted?: boolean | undefined;
}

/** A checked profile, and what is needed to speak of it and to find the files that it names. */
export interface LoadedProfile {
  readonly profile: Profile;
  /** The file that it was read from, absolute; absent for one that was at hand as an object. */
  readonly file?: string | undefined;
  /** Absolute; relative paths of the profile start here. */
  readonly folder: string;
  /** Absolute; messages name files relative to this folder. */
  readonly cwd: string;
  /** It is somebody else's; see `Surroundings`. */
  readonly untrusted: boolean;
  /** What stood for `${env:…}`. */
  readonly secrets: readonly string[];
  /** How a message names a value: `<file>:<line>:<column>: <path>`, or the path alone when there is no file. */
  readonly where: (path: ProfilePath) => string;
}

/**
 * Reads a profile: YAML 1.2 or JSON, UTF-8, at most 64 KiB. `${env:NAME}` is read from the environment.
 * @param file messages name it as it is given here
 * @throws {SuiteError} when it cannot be read, or with every problem found in it, each with line and column
 */
export function loadProfile(file: string, surroundings: Surroundings = {}): LoadedProfile {
  const { cwd = process.cwd(), untrusted = false } = surroundings;
  const { value, problems, positionOf } = parseText(readTextFile(file, "profile", HINT, { cwd }));
  const place = ({ line, column }: Position): string => `${file}:${line}:${column}`;
  if (problems.length > 0) {
    throw unusable(
      file,
      "profile",
      problems.map((problem) => `${place(problem)}: ${problem.text}`),
    );
  }
  return check(value ?? {}, {
    name: file,
    file: resolve(cwd, file),
    folder: dirname(resolve(cwd, file)),
    cwd,
    env: environment(surroundings),
    untrusted,
    where: (path, at = "value") => `${place(positionOf(path, at))}: ${nameOf(path)}`,
    order: (a, b) => {
      const [first, second] = [positionOf(a.path, a.at), positionOf(b.path, b.at)];
      return first.line - second.line || first.column - second.column;
    },
  });
}

/**
 * Checks a profile that is at hand as an object, with the same keys, defaults and placeholders as a file.
 * @param folder where its relative paths start, itself relative to `cwd`; default: `cwd`
 * @throws {SuiteError} with every problem found in it, each with its path
 */
export function profileFromObject(
  value: unknown,
  folder = ".",
  surroundings: Surroundings = {},
): LoadedProfile {
  const { cwd = process.cwd(), untrusted = false } = surroundings;
  return check(value, {
    name: "The profile",
    folder: resolve(cwd, folder),
    cwd,
    env: environment(surroundings),
    untrusted,
    where: nameOf,
    order: () => 0,
  });
}

function environment({ env, untrusted }: Surroundings): Source["env"] {
  return env ?? (untrusted ? {} : process.env);
}

interface Source {
  readonly name: string;
  readonly file?: string;
  readonly folder: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly untrusted: boolean;
  readonly where: (path: ProfilePath, at?: Problem["at"]) => string;
  readonly order: (a: Problem, b: Problem) => number;
}

function check(raw: unknown, source: Source): LoadedProfile {
  const { name, file, folder, cwd, env, untrusted, where, order } = source;
  const {
    value,
    secrets,
    problems: misplaced,
  } = replacePlaceholders(raw, env, untrusted ? "not named with --env" : "not set");
  const { data, error } = profileSchema.safeParse(value);
  const unfit = error ? problemsOf(error.issues, value) : [];
  // A value that still has its placeholder, or could not be copied, is sure to be unfit as well.
  const literal = literalSecrets(raw);
  const known = new Set(misplaced.map(({ path }) => path.join("/")));
  const problems = [
    ...misplaced,
    ...literal,
    ...unfit.filter(({ path }) => !known.has(path.join("/"))),
  ];
  if (!data || problems.length > 0) {
    const lines = problems
      .toSorted(order)
      .map(({ path, at, text }) => `${where(path, at)} ${text}`);
    throw unusable(name, "profile", lines, {
      hint: "In this package, fixtures/profiles/full.yaml shows every key, and fixtures/profile.schema.json lets editors check them.",
    });
  }
  return { profile: data, file, folder, cwd, untrusted, secrets, where };
}

function nameOf(path: ProfilePath): string {
  if (path.length === 0) return "the profile";
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);
}
