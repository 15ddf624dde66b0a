import { isDeepStrictEqual } from "node:util";

import { pointerToken } from "../lib/json-pointer.ts";
import { isObject } from "../lib/json.ts";
import { factsOf, inWords, mapPhrase, type Phrase, phrase } from "../probe/phrase.ts";

/**
 * Notes each member in which a value of a report is another than it follows to be. Of objects, those members are compared that the
 * expected one has.
 * @param isSame compares values that are no objects. Default: they must be equal
 */
export function compare(
  told: unknown,
  expected: unknown,
  note: (where: string, what: string) => void,
  isSame: (told: unknown, expected: unknown, where: string) => boolean = isDeepStrictEqual,
  where = "",
): void {
  if (isObject(told) && isObject(expected)) {
    for (const name of Object.keys(expected))
      compare(told[name], expected[name], note, isSame, `${where}/${pointerToken(name)}`);
  } else if (!isSame(told, expected, where)) {
    note(where, wordsOf(told, expected));
  }
}

/** What follows instead of a value; of a list, what it lacks and what it has too much. */
function wordsOf(told: unknown, expected: unknown): string {
  if (expected === undefined) return "there is none";
  if (!Array.isArray(told) || !Array.isArray(expected))
    return `it follows to be ${JSON.stringify(expected)}`;
  const [has, follows] = [told, expected].map((list) => list.map((one) => JSON.stringify(one)));
  const lacking = follows?.filter((one) => !has?.includes(one)) ?? [];
  const excess = has?.filter((one) => !follows?.includes(one)) ?? [];
  const parts = [
    ...(lacking.length > 0 ? [`it lacks ${lacking.join(", ")}`] : []),
    ...(excess.length > 0 ? [`it does not follow that it has ${excess.join(", ")}`] : []),
  ];
  return parts.length > 0
    ? parts.join("; ")
    : "it follows to have another order, or each only once";
}

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
