import type { Verdict } from "../engine/events.ts";
import { factsOf, inWords, mapPhrase, type Phrase, phrase } from "../probe/phrase.ts";
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

const REDACTED = /\[redacted(?: token)?\]/;
/** No shorter text is redacted. */
const SHORTEST_REDACTED = 4;

/** Whether a text of a report is the expected one, except for words that the suite may have redacted. */
export function isSameText(recorded: string | undefined, expected: string | undefined): boolean {
  if (expected === undefined) return recorded === undefined;
  return isSamePhrase(recorded, phrase`${expected}`);
}

/**
 * Whether a sentence of a report is the expected one, except for what the suite may have redacted: single words, and
 * parts of values. It never redacts a status or a number.
 */
export function isSamePhrase(recorded: string | undefined, expected: Phrase | undefined): boolean {
  const words = expected && inWords(expected);
  if (recorded === words) return true;
  if (recorded === undefined || !expected || words === undefined) return false;
  const all: string[] = [];
  mapPhrase(expected, (text) => (all.push(text), text));
  const values: string[] = [];
  const facts = factsOf(expected).filter(({ kind }) => kind !== "name");
  mapPhrase({ words: [], facts }, (text) => (values.push(text), text));
  const isRedactable = (part: string): boolean =>
    part.length >= SHORTEST_REDACTED &&
    (/\s/.test(part) ? values : all).some((text) => text.includes(part));
  const parts = redactedParts(recorded, words);
  return parts?.every((part) => REDACTED.test(part) || isRedactable(part)) ?? false;
}

/** What a text redacts of another; `undefined` where it is not that text, or redacts nothing. */
function redactedParts(recorded: string, expected: string): string[] | undefined {
  const [first = "", ...others] = recorded.split(REDACTED);
  const last = others.pop();
  if (last === undefined || !expected.startsWith(first) || !expected.endsWith(last))
    return undefined;
  const parts: string[] = [];
  let from = first.length;
  for (const piece of others) {
    const at = expected.indexOf(piece, from + 1);
    if (at < 0) return undefined;
    parts.push(expected.slice(from, at));
    from = at + piece.length;
  }
  const end = expected.length - last.length;
  return end > from ? [...parts, expected.slice(from, end)] : undefined;
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
