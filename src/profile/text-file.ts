import { resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { readRegularFile, UnreadableFile } from "../lib/regular-file.ts";

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
 * @param what the kind of file
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
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path, longestKib * 1024);
  } catch (cause) {
    const why = cause instanceof UnreadableFile ? cause.message : "cannot be read";
    throw new SuiteError(CODES[what], `The ${what} ${file} ${why}`, { hint, cause });
  }
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
  options: { hint?: string } = {},
): SuiteError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.slice(0, MOST_PROBLEMS_SHOWN).map((problem) => `\n  ${problem}`);
  if (problems.length > lines.length) lines.push(`\n  and ${problems.length - lines.length} more`);
  return new SuiteError(CODES[what], `${name} has ${count}:${lines.join("")}`, {
    ...options,
    problems,
  });
}
