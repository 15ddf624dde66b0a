import { resolve } from "node:path";

import { naming, SuiteError } from "../lib/errors.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { counted } from "../lib/words.ts";

export interface Problem {
  /** Its place; empty for the whole profile. */
  readonly path: ProfilePath;
  /** Whether the last key of the path is wrong, or its value. */
  readonly at: "key" | "value";
  /** What is wrong and what would be right. It ends a sentence that begins with the place. */
  readonly text: string;
}

/** Keys and list positions from the whole profile to one of its values. */
export type ProfilePath = readonly (string | number)[];

/** The kinds of hand-written files, with the error code for each. */
const CODES = {
  profile: "ERR_PROFILE",
  baseline: "ERR_BASELINE",
  "client secret": "ERR_PROFILE",
  "client key": "ERR_PROFILE",
} as const;
type Written = keyof typeof CODES;

const USUAL_KIB = 64;
const MOST_PROBLEMS_SHOWN = 20;

/**
 * Reads a hand-written file in UTF-8.
 * @param file the path, as messages show it
 * @param hint what to do when it cannot be read
 * @param options.cwd an absolute folder, where a relative `file` starts
 * @param options.longestKib the largest size, in KiB; default 64
 * @throws SuiteError when it cannot be read, is too large or is not UTF-8
 */
export function readTextFile(
  file: string,
  what: Written,
  hint: string,
  { cwd, longestKib = USUAL_KIB }: { readonly cwd: string; readonly longestKib?: number },
): string {
  const path = resolve(cwd, file);
  const read = (): Buffer => readRegularFile(path, longestKib * 1024);
  const bytes = naming(`The ${what} ${file}`, CODES[what], read, hint);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SuiteError(
      CODES[what],
      `The ${what} ${file} is not encoded in UTF-8; save it as UTF-8`,
      { cause },
    );
  }
}

/** The error for a file with problems, one per line. It lists the first twenty. */
export function unusable(
  name: string,
  what: Written,
  problems: readonly string[],
  hint?: string,
): SuiteError {
  const count = counted(problems.length, "problem");
  const lines = problems.slice(0, MOST_PROBLEMS_SHOWN).map((problem) => `\n  ${problem}`);
  if (problems.length > lines.length) lines.push(`\n  and ${problems.length - lines.length} more`);
  return new SuiteError(CODES[what], `${name} has ${count}:${lines.join("")}`, { hint, problems });
}
