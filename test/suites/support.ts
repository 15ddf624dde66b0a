import { type Ran, runAgainstReference } from "../support/run-against.ts";

type Parts = Parameters<typeof runAgainstReference>;

/**
 * Runs the rules and cases of these patterns, or of one, against a reference receiver of its own.
 * @param given what the receiver is, and how it is run
 */
export function runCases(
  patterns: string | readonly string[],
  given: NonNullable<Parts[0]> & NonNullable<Parts[1]> = {},
): Promise<Ran> {
  return runAgainstReference(given, { ...given, patterns: [patterns].flat() });
}
