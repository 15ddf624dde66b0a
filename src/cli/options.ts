import { InvalidArgumentError } from "commander";

import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { REPORTERS } from "../report/index.ts";

/** The most requests of an exploration. */
export const MOST_EXPLORED = 10_000_000;

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600 };

/**
 * Parses a time such as `60s`, `5m` or `1h`; a number alone is seconds. Returns seconds.
 * @throws InvalidArgumentError when it is anything else
 */
export function duration(value: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,7})([smh]?)$/.exec(value) ?? [];
  const seconds = Number(digits) * (UNITS[unit] ?? 1);
  if (seconds < 1 || seconds > LONGEST_SECONDS) {
    throw new InvalidArgumentError("It must be a time such as 60s, 5m or 1h.");
  }
  return seconds;
}

/** Timers hold milliseconds as a 31-bit number. */
export const LONGEST_SECONDS = 2_000_000;
export const LARGEST_SEED: number = 2 ** 32 - 1;

/**
 * Parser for an option with several values, in one argument with commas or in one argument each: returns the
 * earlier values and the new ones. A comma in the braces or brackets of a glob separates nothing.
 * @throws InvalidArgumentError when a value is empty
 */
export function severalValues(text: string, previous: readonly string[] = []): string[] {
  const values = text.split(SEPARATOR).map((value) => value.trim());
  if (values.includes("")) throw new InvalidArgumentError("It must not be empty.");
  return [...previous, ...values];
}

/** A comma that no closing brace, bracket or parenthesis follows before an opening one. */
const SEPARATOR = /,(?![^{[(]*[}\])])/;

/**
 * Makes a parser for a whole number from `least` to `most`, both included. The parser throws an
 * `InvalidArgumentError` for anything else.
 */
export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

/**
 * Parses a chance above 0 and below 1.
 * @throws InvalidArgumentError when it is anything else
 */
export function chance(value: string): number {
  const number = Number(value);
  if (/^0?\.\d+$/.test(value) && number > 0) return number;
  throw new InvalidArgumentError("It must be a number above 0 and below 1, such as 0.95.");
}

/**
 * Parses a JSON object.
 * @throws InvalidArgumentError when it is anything else
 */
export function jsonObject(text: string): JsonObject {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new InvalidArgumentError(`It must be a JSON object, such as '{"sub":"someone"}'.`);
}

/** Parses a port number. Port 0 stands for any free port. */
export const port: (value: string) => number = wholeNumber(0, 65_535);

/** The options of a command that asks a deployment. */
export interface TargetFlags {
  readonly profile?: string;
  readonly readOnly?: boolean;
  readonly allowBundledKeys?: boolean;
  /** Whether the profile is somebody else's. */
  readonly untrusted?: boolean;
  /** The environment variables that such a profile may use. */
  readonly env?: readonly string[];
  /** Names or files of packs, where a command judges them. */
  readonly pack?: readonly string[];
}

export const PROFILE =
  "what is known of the deployment, YAML or JSON (default: orgsync.yaml, if it exists)";
export const BUNDLED_KEYS =
  "use the bundled keys, which are public, against a host that is not loopback";
export const UNTRUSTED =
  "the profile is somebody else's: no environment variables but those of --env, no files outside of its folder, no private addresses but the base URL named here";
export const ENV =
  "an environment variable that an untrusted profile may use; repeatable, or with commas";

export const REPORT_MODE =
  "the permissions of the reports, in octal, such as 640; default: 600, for nobody else";

/**
 * Parses the permissions of a file.
 * @throws InvalidArgumentError when they are not octal, or do not let the owner read and write
 */
export function fileMode(value: string): number {
  if (/^0?6[0246]{2}$/.test(value)) return Number.parseInt(value, 8);
  throw new InvalidArgumentError(
    "It must be three octal digits, of which the first is 6: 600, 640 or 644, for example.",
  );
}

const FORMATS = [...REPORTERS.keys()].join(", ");
export const REPORT_FORMAT: string = `write a further format: ${FORMATS}; repeatable, or with commas`;

/**
 * Parser for the names of report formats; see `severalValues`.
 * @throws InvalidArgumentError when there is no such format
 */
export function reportFormats(text: string, previous: readonly string[] = []): string[] {
  const formats = severalValues(text, previous);
  if (formats.every((format) => REPORTERS.has(format))) return formats;
  throw new InvalidArgumentError(`The formats are ${FORMATS}; report.json is always written.`);
}
