import type { CheckName } from "../checks.ts";
import type { Check, Question } from "../question.ts";
import { also, type Mistake } from "./mistake.ts";

/** Kinds of values that code may fail to compare, whatever the claim is. Missing and falsy ones are mistakes of each claim's own. */
const KINDS: readonly (readonly [name: string, words: string, is: (value: unknown) => boolean])[] =
  [
    ["empty-text", "an empty text", (value) => value === ""],
    ["blank-text", "blank", (value) => typeof value === "string" && value.trim() === ""],
    ["null", "null", (value) => value === null],
    ["number", "a number", (value) => typeof value === "number"],
    ["zero", "0", (value) => value === 0],
    ["boolean", "true or false", (value) => typeof value === "boolean"],
    ["true", "true", (value) => value === true],
    ["array", "an array", (value) => Array.isArray(value)],
    ["array-empty", "an empty array", (value) => Array.isArray(value) && value.length === 0],
    ["object", "an object", isMap],
    ["array-or-object", "an array or an object", (value) => isMap(value) || Array.isArray(value)],
    ["no-text", "no text", (value) => value !== undefined && typeof value !== "string"],
    [
      "no-text-or-empty",
      "empty or no text",
      (value) => value !== undefined && (typeof value !== "string" || value === ""),
    ],
    ["empty", "missing, null, false, 0 or empty, as text, array or object", isEmpty],
  ];

/** What Python and PHP take for false. */
function isEmpty(value: unknown): boolean {
  return !value || (typeof value === "object" && Object.keys(value).length === 0);
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Mistakes of a check that skips the comparison of a claim with values of some kind. */
export function kindMistakes(of: {
  /** The beginning of the names of the mistakes. */
  readonly stem: string;
  /** What the claim is called: `` `aud` ``, "the binding claim". */
  readonly claim: string;
  readonly check: CheckName;
  readonly right: Check;
  readonly given: (question: Question) => unknown;
}): Mistake[] {
  return KINDS.map(([name, words, is]) => ({
    fault: `${of.stem}-${name}-accepted`,
    behaves: `accepts a token in which ${of.claim} is ${words}`,
    look: `The code does not compare ${of.claim} where it is ${words}, or what it makes of such a value is taken for the right one.`,
    isComposed: true,
    checks: { [of.check]: also(of.right, (question) => is(of.given(question))) },
  }));
}
