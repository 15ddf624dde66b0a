import type { Verdict } from "../engine/events.ts";

/** Something in a report that does not follow from the rest of it. */
export interface Discrepancy {
  /** JSON Pointer into the report, RFC 6901. */
  readonly where: string;
  /** `<rule id>/<case id>`, where it is about one case. */
  readonly case?: string | undefined;
  /** As a sentence without its full stop. */
  readonly what: string;
}

/** Outcomes of one rule that were taken as the report has them. */
export interface TakenOutcomes {
  readonly rule: string;
  readonly cases: number;
}

/** What judging a report again came to. */
export interface Verification {
  /** Nothing was found that does not follow. */
  readonly consistent: boolean;
  readonly discrepancies: readonly Discrepancy[];
  readonly cases: number;
  /** Cases whose outcome was settled by the plan, or judged again by its rule from the recorded answers. */
  readonly judgedAgain: number;
  /** Cases that came to no judgement and say why: no evidence could show more. */
  readonly unjudged: number;
  /** The others, by rule: they were looked at, but what their rule judged by is not all in the report. */
  readonly taken: readonly TakenOutcomes[];
  /** What follows from the outcomes of the cases. */
  readonly verdict: Verdict;
  /** What the run exits with, without a baseline and `--accept-incomplete`. */
  readonly exitCode: number;
}

/** Takes note of what is wrong. */
export type Note = (where: string, what: string, caseId?: string) => void;

/** Whether a sentence of a report is the one that follows; what was redacted in it may have been anything. */
export function isSameText(recorded: string | undefined, expected: string | undefined): boolean {
  if (recorded === expected) return true;
  if (recorded === undefined || expected === undefined || !recorded.includes("[redacted")) {
    return false;
  }
  return inOrder(recorded.split(/\[redacted(?: token)?\]/), expected);
}

/** Whether pieces occur in a text one after the other. */
export function inOrder(pieces: readonly string[], text: string): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
