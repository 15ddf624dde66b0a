import { type Ran, runAgainstReference } from "../support/run-against.ts";

type Receiver = Parameters<typeof runAgainstReference>[0];
type Options = Parameters<typeof runAgainstReference>[1];

/** Runs the rules and cases of these patterns, or of one, against a reference receiver of its own. */
export function runCases(
  patterns: string | readonly string[],
  receiver: Receiver = {},
  options: Options = {},
): Promise<Ran> {
  return runAgainstReference(receiver, { ...options, patterns: [patterns].flat() });
}
