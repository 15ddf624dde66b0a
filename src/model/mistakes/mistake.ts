import type { Checks } from "../checks.ts";
import { fails, open, type Outcome, passes } from "../outcome.ts";
import type { Check, Question } from "../question.ts";

/** A receiver that makes some checks wrongly. Where the reference receiver has the same fault, it has the same name. */
export interface Mistake {
  readonly fault: string;
  /** What a receiver with it does: "compares `aud` by prefix". */
  readonly behaves: string;
  /** How implementations come to it, which says what to look for in the code. */
  readonly look: string;
  /** Where it was reported: an RFC section, CVE or issue. */
  readonly source?: string | undefined;
  /** Whether the check is not made at all: the simplest mistake of those that a run does not tell apart. */
  readonly isAbsence?: true;
  /** Whether a plainer mistake takes a part of what it takes, and is more likely where a run does not tell them apart. */
  readonly isWider?: true;
  /** Whether it is made of a wrong comparison and a claim, so that a mistake with words of its own comes before it. */
  readonly isComposed?: true;
  /** The wrong checks, which take the place of the contract's. */
  readonly checks: Partial<Checks>;
}

/** A wrong check that lets some requests pass, and judges the others as the right one does. */
export function also(right: Check, isTaken: (question: Question) => boolean): Check {
  return (question) => {
    const outcome = right(question);
    return outcome && outcome.is !== "passes" && isTaken(question) ? TAKEN : outcome;
  };
}

/** A wrong check that decides by itself. `undefined`: whether it passes depends on what this mistake does not say. */
export function instead(right: Check, decides: (question: Question) => boolean | undefined): Check {
  return (question) => {
    const outcome = right(question);
    if (!outcome) return outcome;
    const taken = decides(question);
    return taken === undefined ? UNSAID : taken ? TAKEN : REFUSED;
  };
}

/** It passes. The sentence is that of no mistake. */
export const TAKEN: Outcome = passes("checks.any-failure-rejects");
const REFUSED: Outcome = fails("checks.any-failure-rejects", "differs");
/** Whether it passes depends on what the mistake does not say. */
export const UNSAID: Outcome = open("odd claim");
