import { listed } from "../../lib/words.ts";
import { GREATEST, parameters } from "../checks/parameters.ts";
import type { Question } from "../question.ts";
import { queryOf } from "../request.ts";
import { instead, type Mistake, TAKEN, UNSAID } from "./mistake.ts";

const INTEGER = /^-?\d+$/;

function isKnown(name: string): boolean {
  return name === "page" || name === "pageSize";
}

/** A receiver that takes a page number by a test of its own. What it makes of other parameters, this mistake does not say. */
function takes(isTaken: (value: string) => boolean | undefined): Mistake["checks"] {
  const decides = (question: Question): boolean | undefined => {
    const sent = queryOf(question.request);
    const names = new Set(sent.map(([name]) => name));
    if (names.size < sent.length || ![...names].every(isKnown)) return undefined;
    const taken = sent.map(([, value]) => isTaken(value));
    return taken.includes(false) ? false : taken.includes(undefined) ? undefined : true;
  };
  return { parameters: instead(parameters, decides) };
}

/** What is not valid as a `page` or `pageSize`. Each value is of the first kind that fits. */
const KINDS = [
  { name: "zero", words: "0", is: /^[+-]?0+$/ },
  { name: "negative", words: "a negative number", is: /^-\d+$/ },
  { name: "above", words: "a number above 2147483647", is: /^\d{1,18}$/ },
  { name: "above-64-bits", words: "a number of more than 64 bits", is: /^\d+$/ },
  { name: "fraction", words: "a fraction", is: /^-?\d+\.\d+$/ },
  { name: "number-and-text", words: "text that begins with a number", is: /^[+-]?\d/ },
  { name: "text", words: "text that is no number", is: /^/ },
] as const;

type Kind = (typeof KINDS)[number];

/** Both parameters, or one of them. */
const NAMES = [["page", "pageSize"], ["page"], ["pageSize"]] as const;

/** A receiver that accepts some kinds of what is not valid, and refuses the others. */
function ofKinds(names: readonly string[], kinds: readonly Kind[]): Mistake {
  const isTaken = (value: string): boolean => {
    const kind = KINDS.find(({ is }) => is.test(value));
    return kind !== undefined && kinds.includes(kind);
  };
  const stem = kinds.map(({ name }) => name).join("-");
  return {
    fault: [...(names.length > 1 ? [] : names.map(kebab)), stem, "accepted"].join("-"),
    behaves: `accepts ${inWords(kinds)} as ${listed(names.map((name) => `\`${name}\``))}`,
    look: "The code does not compare what it reads with 1 and 2147483647, or puts a value of its own in the place of what it cannot use.",
    isComposed: true,
    checks: {
      parameters: (question) => {
        const outcome = parameters(question);
        if (outcome?.is !== "fails" || outcome.reason.what !== "out of bounds") return outcome;
        const { name = "", value } = outcome.reason;
        if (!names.includes(name) || !isTaken(String(value))) return outcome;
        // What is cut off to 0 may be refused for that.
        return /^-|^0\./.test(String(value)) && /\./.test(String(value)) ? UNSAID : TAKEN;
      },
    },
  };
}

function kebab(name: string): string {
  return name.replace("S", "-s");
}

function inWords(kinds: readonly Kind[]): string {
  const names = kinds.map(({ name }) => name);
  const isBelow = names.includes("zero") && names.includes("negative");
  const [, , ...others] = kinds;
  return isBelow
    ? listed(["a number below 1", ...others.map(({ words }) => words)], "or")
    : listed(
        kinds.map(({ words }) => words),
        "or",
      );
}

/** Every choice of some kinds, the smaller ones first. */
function choices(): Kind[][] {
  const all = Array.from({ length: 2 ** KINDS.length - 1 }, (_, at) =>
    KINDS.filter((_kind, place) => Math.floor((at + 1) / 2 ** place) % 2 === 1),
  );
  return all.toSorted((one, other) => one.length - other.length);
}

/** What is in bounds; what the contract leaves open, such as `01` and nothing, is said by no mistake. */
function isRight(value: string): boolean | undefined {
  if (/^[1-9]\d*$/.test(value)) return Number(value) <= GREATEST;
  return INTEGER.test(value) && Number(value) < 1
    ? false
    : /^[^\d\s+]/.test(value)
      ? false
      : undefined;
}

function mistake(
  fault: string,
  behaves: string,
  look: string,
  isTaken: (value: string) => boolean | undefined,
): Mistake {
  return { fault, behaves, look, checks: takes(isTaken) };
}

/** Wrong checks of `page` and `pageSize` (PaginatedQueryParams). */
export const PARAMETERS: readonly Mistake[] = [
  mistake(
    "parameters-any-integer",
    "accepts every integer as `page` and `pageSize`, whatever the bounds",
    "The code parses the number and does not compare it with 1 and 2147483647.",
    (value) => INTEGER.test(value) || (isRight(value) ?? (/^\d/.test(value) ? false : undefined)),
  ),
  mistake(
    "parameters-lower-bound-unchecked",
    "accepts a `page` or `pageSize` below 1",
    "The code compares with the upper bound alone, or tests for digits.",
    (value) => (INTEGER.test(value) && Number(value) < 1 ? true : isRight(value)),
  ),
  mistake(
    "parameters-upper-bound-unchecked",
    "accepts a `page` or `pageSize` above 2147483647",
    "The code compares with 1 alone.",
    (value) => (/^\d+$/.test(value) && Number(value) > GREATEST ? true : isRight(value)),
  ),
  mistake(
    "parameters-fractions",
    "accepts a fraction as `page` or `pageSize`, such as 1.5",
    "The code reads a floating point number, and cuts off what follows the point.",
    (value) => (/^\d+\.\d+$/.test(value) ? Number(value) >= 1 || undefined : isRight(value)),
  ),
  mistake(
    "parameters-unreadable-as-zero",
    "accepts 0 as `page` or `pageSize`, and takes for 0 what is not valid as a number",
    "The code puts 0 in place of what it cannot read, as in `Number(text) || 0`, and compares with 0 in place of 1.",
    (value) => !/^\d{1,10}$/.test(value) || Number(value) <= GREATEST,
  ),
  mistake(
    "parameters-unchecked",
    "accepts every value of `page` and `pageSize`",
    "The code puts a value of its own in place of what it cannot read, in place of 400.",
    () => true,
  ),
  ...NAMES.flatMap((names) => choices().map((kinds) => ofKinds(names, kinds))),
];
