import type { Verdict } from "../engine/events.ts";
import type { Missing } from "./missing.ts";

/** Something in a report that does not follow from the rest of it. */
export interface Discrepancy {
  /** JSON Pointer into the report, RFC 6901. */
  readonly where: string;
  /** `<rule id>/<case id>`, if it concerns one case. */
  readonly case?: string | undefined;
  /** A sentence without its full stop. */
  readonly what: string;
}

/** Outcomes of one rule that were accepted without judging them again, for one reason. */
export interface TakenOutcomes {
  readonly rule: string;
  readonly cases: number;
  /** What the rule asked for that the report does not hold. */
  readonly missing: Missing;
}

/** The result of judging a report again. */
export interface Verification {
  /** True when there are no discrepancies. */
  readonly consistent: boolean;
  /** Those of evidence come first. */
  readonly discrepancies: readonly Discrepancy[];
  readonly cases: number;
  /** Number of cases whose outcome the plan settles, or whose rule judged answers again. */
  readonly judgedAgain: number;
  /** Number of cases without a judgement that give a reason; no evidence could show more. */
  readonly unjudged: number;
  /** The other cases, by rule and by what the report lacks to judge them; their form is checked. */
  readonly taken: readonly TakenOutcomes[];
  /** The verdict that follows from the outcomes of the cases. */
  readonly verdict: Verdict;
  /** The exit code of the run, without a baseline and `--accept-incomplete`. */
  readonly exitCode: number;
}

/** Records a discrepancy. */
export type Note = (where: string, what: string, caseId?: string) => void;
