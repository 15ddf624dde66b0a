import type { Verdict } from "../engine/events.ts";

/** Something in a report that does not follow from the rest of it. */
export interface Discrepancy {
  /** JSON Pointer into the report, RFC 6901. */
  readonly where: string;
  /** `<rule id>/<case id>`, if it concerns one case. */
  readonly case?: string | undefined;
  /** A sentence without its full stop. */
  readonly what: string;
}

/** Outcomes of one rule that were accepted without judging them again. */
export interface TakenOutcomes {
  readonly rule: string;
  readonly cases: number;
}

/** The result of judging a report again. */
export interface Verification {
  /** True when there are no discrepancies. */
  readonly consistent: boolean;
  readonly discrepancies: readonly Discrepancy[];
  readonly cases: number;
  /**
   * Number of cases whose outcome the plan settles, or whose rule judged the recorded answers again.
   */
  readonly judgedAgain: number;
  /** Number of cases without a judgement that give a reason; no evidence could show more. */
  readonly unjudged: number;
  /**
   * The other cases, by rule. Their form was checked, but the report does not contain everything that their
   * rule judged by.
   */
  readonly taken: readonly TakenOutcomes[];
  /** The verdict that follows from the outcomes of the cases. */
  readonly verdict: Verdict;
  /** The exit code of the run, without a baseline and `--accept-incomplete`. */
  readonly exitCode: number;
}

/** Records a discrepancy. */
export type Note = (where: string, what: string, caseId?: string) => void;

/** Whether a sentence of a report is the expected one. Redacted parts match anything. */
export function isSameText(recorded: string | undefined, expected: string | undefined): boolean {
  if (recorded === expected) return true;
  if (recorded === undefined || expected === undefined || !recorded.includes("[redacted")) {
    return false;
  }
  return inOrder(recorded.split(/\[redacted(?: token)?\]/), expected);
}

/** Whether pieces occur in a text one after another. */
export function inOrder(pieces: readonly string[], text: string): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
