import { groupBy } from "../../../lib/group-by.ts";
import { listed } from "../../../lib/words.ts";
import type { BodyProblem, ErrorAnswer } from "../../../probe/errors/error-record.ts";
import { listFact, type Phrase, phrase, valueFact } from "../../../probe/phrase.ts";

/** What is wrong with one error answer, as the end of a sentence about several of them; `undefined` where nothing is. */
type Wrong = (answer: ErrorAnswer) => string | undefined;

/** What the rules about error answers look at. */
const WRONG: Readonly<Record<string, Wrong>> = {
  "errors.shape": ({ wrong }) => inWords(wrong),
  "errors.status": ({ bodyStatus, status }) =>
    bodyStatus === undefined || bodyStatus === status
      ? undefined
      : `\`status\` in the body is ${bodyStatus}`,
  "errors.media-type": ({ contentType, json }) =>
    json && !/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? "")
      ? `\`Content-Type\` is ${contentType ?? "missing"}`
      : undefined,
};

/** More kinds of wrong answers, or statuses, than these are no line that somebody reads. */
const MOST_KINDS = 4;
const MOST_STATUSES = 8;

/** What is wrong with the error answers of the run, with the statuses or operations that it is limited to. */
export function errorFacts(rule: string, errors: readonly ErrorAnswer[]): Phrase[] {
  const wrong = WRONG[rule];
  if (!wrong) return [];
  const whole = errors.filter(({ cut }) => !cut);
  const kinds = [...groupBy(whole, wrong)];
  if (kinds.length > MOST_KINDS) return [];
  return kinds.map(([what, some]) => sentence(what, some, whole));
}

function sentence(
  what: string,
  some: readonly ErrorAnswer[],
  whole: readonly ErrorAnswer[],
): Phrase {
  const others = whole.filter((one) => !some.includes(one));
  const told = phrase`${valueFact(what)}`;
  if (others.length === 0) return phrase`In all ${some.length} error answers, ${told}`;
  const [own, left] = [statusesOf(some), statusesOf(others)];
  if (isApart(own, left)) {
    return phrase`In every error answer with ${either(own)}, ${told}; not in those with ${either(left)}`;
  }
  const [there, elsewhere] = [operationsOf(some), operationsOf(others)];
  if (isApart(there, elsewhere)) {
    return phrase`In every error answer of ${either(there)}, ${told}; not in those of ${either(elsewhere)}`;
  }
  return phrase`In ${some.length} of ${whole.length} error answers, with ${either(own)}, ${told}`;
}

function statusesOf(answers: readonly ErrorAnswer[]): number[] {
  return [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b);
}

function operationsOf(answers: readonly ErrorAnswer[]): string[] {
  return [...new Set(answers.map(({ operation }) => operation))];
}

/** Whether a short list has nothing of another one. */
function isApart(own: readonly unknown[], others: readonly unknown[]): boolean {
  return own.length <= MOST_STATUSES && !own.some((one) => others.includes(one));
}

function either(items: readonly (string | number)[]): Phrase {
  const [last = "", ...before] = items.map(String).toReversed();
  return before.length > 0 ? phrase`${listFact(before.toReversed())} or ${last}` : phrase`${last}`;
}

/** The problems of a body as one clause: which members are missing, and what is in their place. */
function inWords(wrong: readonly BodyProblem[]): string | undefined {
  if (wrong.length === 0) return undefined;
  const missing = wrong.filter(isMissing).map(({ pointer }) => `\`${memberAt(pointer)}\``);
  const lacks =
    missing.length === 0 ? [] : [`${listed(missing)} ${missing.length > 1 ? "are" : "is"} missing`];
  return [...lacks, ...wrong.filter((one) => !isMissing(one)).map(worded)].join("; ");
}

function isMissing(one: BodyProblem): one is Extract<BodyProblem, { is: "member" }> {
  return one.is === "member" && one.isMissing;
}

function worded(problem: BodyProblem): string {
  switch (problem.is) {
    case "member":
      return problem.pointer === ""
        ? problem.message
        : `\`${memberAt(problem.pointer)}\` ${problem.message}`;
    case "others": {
      const named = problem.others.map(({ name, type }) => `\`${name}\` (${type})`);
      return `there is ${named.toSorted().join(", ")}`;
    }
    case "body":
      return problem.text;
  }
}

/** A JSON Pointer without its first slash. */
function memberAt(pointer: string): string {
  return pointer.slice(1);
}
