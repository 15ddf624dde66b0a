import leven from "leven";

import { listed } from "./words.ts";

/** The least likeness of a name that is worth a suggestion. */
const ENOUGH = 0.5;
/** The likeness of a word and its beginning, or of a beginning and its word. */
const BEGINNING = 0.8;
/** The least letters of a beginning, and of a word with a typing error. */
const SHORTEST = 3;

/**
 * Finds the names that were probably meant. They are compared word by word, in any order, and a word that few names have
 * counts more than one that many have. So `hour-ago` is near `receiver.expiry/hour-ago@viewOrganization`.
 * @param wanted what was typed; it is never among the results
 * @param names those that exist
 * @param most how many to return; default: 1
 * @returns the likeliest first; empty where no name is similar
 */
export function namesLike(wanted: string, names: readonly string[], most = 1): string[] {
  const asked = wordsOf(wanted);
  const known = names.map((name) => ({ name, words: wordsOf(name) }));
  const weightOf = weightsIn(known.map(({ words }) => words));
  return known
    .filter(({ name }) => name !== wanted)
    .map(({ name, words }) => ({ name, likeness: likenessOf(asked, words, weightOf) }))
    .filter(({ likeness }) => likeness >= ENOUGH)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * The question after a name that does not exist, as a sentence with a capital letter.
 * @returns empty where no name is similar; see `namesLike` for the parameters
 */
export function didYouMean(wanted: string, names: readonly string[], most = 1): string {
  const found = namesLike(wanted, names, most);
  return found.length === 0 ? "" : `Did you mean ${listed(found, "or")}?`;
}

/** `receiver.expiry/hour-ago@viewOrganization` in words: receiver, expiry, hour, ago, view, organization. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}

/** How much a word counts: the fewer names have it, the more. */
function weightsIn(names: readonly (readonly string[])[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const words of names) {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return (word) => Math.log(1 + names.length / (counts.get(word) ?? 1));
}

/** From 0 to 1. That the name has the words that were typed counts more than that it has no others. */
function likenessOf(
  asked: readonly string[],
  words: readonly string[],
  weightOf: (word: string) => number,
): number {
  const inName = shareOf(asked, words, weightOf);
  const inAsked = shareOf(words, asked, weightOf);
  return Math.max((3 * inName + inAsked) / 4, alike(asked.join(""), words.join("")));
}

/** The part of some words that others have too. */
function shareOf(
  some: readonly string[],
  others: readonly string[],
  weightOf: (word: string) => number,
): number {
  let shared = 0;
  let all = 0;
  for (const word of some) {
    const weight = weightOf(word);
    all += weight;
    shared += weight * Math.max(0, ...others.map((other) => alike(word, other)));
  }
  return all === 0 ? 0 : shared / all;
}

/** The likeness of two words: 1 where they are the same, 0 where no typing error makes one of the other. */
function alike(one: string, other: string): number {
  if (one === other) return one === "" ? 0 : 1;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length >= SHORTEST && long.startsWith(short)) return BEGINNING;
  const most = long.length < SHORTEST ? 0 : long.length < 2 * SHORTEST ? 1 : 2;
  // A cheap bound, because cases have some thousand words.
  if (long.length - short.length > most) return 0;
  if (isSwapped(one, other)) return 1 - 1 / long.length;
  // Most short words have another one that differs in a letter.
  if (long.length === SHORTEST && short.length === SHORTEST) return 0;
  const typos = leven(one, other);
  return typos <= most ? 1 - typos / long.length : 0;
}

/** Whether two neighbouring letters are in the other order. */
function isSwapped(one: string, other: string): boolean {
  const at = one.split("").findIndex((letter, index) => letter !== other[index]);
  return (
    one.length === other.length &&
    one[at] === other[at + 1] &&
    one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
  );
}
