import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { UserError } from "../errors.ts";
import { replacePlaceholders } from "./placeholders.ts";
import { problemsOf } from "./problems.ts";
import type { Problem, Profile, ProfilePath } from "./profile.ts";
import { profileSchema } from "./schema.ts";
import { parseText, type Position } from "./yaml.ts";

const LONGEST_FILE_BYTES = 64 * 1024;
const MOST_PROBLEMS_SHOWN = 20;

/** A checked profile, and what is needed to speak of it and to find the files that it names. */
export interface LoadedProfile {
  readonly profile: Profile;
  /** Absolute; relative paths of the profile start here. */
  readonly folder: string;
  /** What stood for `${env:…}`, and `authorizationServer.clientSecret`. */
  readonly secrets: readonly string[];
  /** How a message names a value: `<file>:<line>:<column>: <path>`, or the path alone when there is no file. */
  readonly where: (path: ProfilePath) => string;
}

/**
 * Reads a profile: YAML 1.2 or JSON, UTF-8, at most 64 KiB. `${env:NAME}` is read from the environment.
 * @param file relative to the working directory; messages name it as it is given here
 * @throws {UserError} when it cannot be read, or with every problem found in it, each with line and column
 */
export function loadProfile(file: string): LoadedProfile {
  const { value, problems, positionOf } = parseText(readText(file));
  const place = ({ line, column }: Position): string => `${file}:${line}:${column}`;
  if (problems.length > 0) {
    throw unusable(
      file,
      problems.map((problem) => `${place(problem)}: ${problem.text}`),
    );
  }
  return check(value ?? {}, {
    name: file,
    folder: dirname(resolve(file)),
    where: (path, at = "value") => `${place(positionOf(path, at))}: ${nameOf(path)}`,
    order: (a, b) => {
      const [first, second] = [positionOf(a.path, a.at), positionOf(b.path, b.at)];
      return first.line - second.line || first.column - second.column;
    },
  });
}

/**
 * Checks a profile that is at hand as an object, with the same keys, defaults and placeholders as a file.
 * @param folder where its relative paths start; default: the working directory
 * @throws {UserError} with every problem found in it, each with its path
 */
export function profileFromObject(value: unknown, folder = "."): LoadedProfile {
  return check(value, {
    name: "The profile",
    folder: resolve(folder),
    where: nameOf,
    order: () => 0,
  });
}

interface Source {
  readonly name: string;
  readonly folder: string;
  readonly where: (path: ProfilePath, at?: Problem["at"]) => string;
  readonly order: (a: Problem, b: Problem) => number;
}

function check(raw: unknown, { name, folder, where, order }: Source): LoadedProfile {
  const { value, secrets, problems: misplaced } = replacePlaceholders(raw, process.env);
  const { data, error } = profileSchema.safeParse(value);
  const unfit = error ? problemsOf(error.issues, value) : [];
  // A value that still has its placeholder, or could not be copied, is sure to be unfit as well.
  const known = new Set(misplaced.map(({ path }) => path.join("/")));
  const problems = [...misplaced, ...unfit.filter(({ path }) => !known.has(path.join("/")))];
  if (!data || problems.length > 0) {
    const lines = problems
      .toSorted(order)
      .map(({ path, at, text }) => `${where(path, at)} ${text}`);
    throw unusable(name, lines, {
      hint: "In this package, fixtures/profiles/full.yaml shows every key, and fixtures/profile.schema.json lets editors check them.",
    });
  }
  const clientSecret = data.authorizationServer?.clientSecret;
  return {
    profile: data,
    folder,
    secrets: clientSecret === undefined ? secrets : [...new Set([...secrets, clientSecret])],
    where,
  };
}

function unusable(
  name: string,
  problems: readonly string[],
  options: { hint?: string } = {},
): UserError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.slice(0, MOST_PROBLEMS_SHOWN).map((problem) => `\n  ${problem}`);
  if (problems.length > lines.length) lines.push(`\n  and ${problems.length - lines.length} more`);
  return new UserError(`${name} has ${count}:${lines.join("")}`, options);
}

function nameOf(path: ProfilePath): string {
  if (path.length === 0) return "the profile";
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    if (statSync(file).size > LONGEST_FILE_BYTES) {
      throw new UserError(
        `${file} is no profile: it is larger than ${LONGEST_FILE_BYTES / 1024} KiB`,
      );
    }
    bytes = readFileSync(file);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(
      `The profile ${file} ${READ_ERRORS[(cause as NodeJS.ErrnoException).code ?? ""] ?? "cannot be read"}`,
      {
        hint: "A profile needs one line: `baseUrl: https://sync.example.com/common-grants`.",
        cause,
      },
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserError(`The profile ${file} is not encoded in UTF-8; save it as UTF-8`, { cause });
  }
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder; name a file in it",
  EACCES: "may not be read by you",
};
