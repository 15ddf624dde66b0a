import { chosen } from "./edit.ts";

/** Letters of other scripts, and compatible forms, that folding or a reader takes for the letter. */
export const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "\u0430",
  c: "\u0441",
  e: "\u0435",
  i: "\u0131",
  k: "\u212a",
  o: "\u043e",
  p: "\u0440",
  s: "\u017f",
  x: "\u0445",
  ":": "\uff1a",
  "/": "\uff0f",
  ".": "\uff0e",
  "-": "\u2010",
};

/** The characters of a text as JavaScript counts them. */
export function charactersOf(text: string): string[] {
  return text.split("");
}

/** Words that mean nothing to anybody. */
export function words(n: number): string {
  return Array.from({ length: 1 + n }, (_, at) => `conformance.x${at}:read`).join(" ");
}

/** A place inside a text, spread over it. */
export function placeIn(text: string, n: number): number {
  return text.length === 0 ? 0 : (n * 7) % text.length;
}

export function withCharacter(
  text: string,
  at: number,
  make: (character: string) => string,
): string {
  return text.slice(0, at) + make(text.charAt(at)) + text.slice(at + 1);
}

/** The next digit, or the next letter, which is another character of the same kind. */
export function neighbour(character: string): string {
  if (/[0-8a-eg-yA-EG-Y]/.test(character))
    return String.fromCodePoint((character.codePointAt(0) ?? 0) + 1);
  if (/[9fF]/.test(character)) return "0";
  return "x";
}

export function otherCaseOf(text: string): string {
  return text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase();
}

export function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

/** The index of a character of a kind, chosen among all of them; any character where there is none. */
export function indexOfKind(text: string, kind: RegExp, n: number): number {
  const found = charactersOf(text).flatMap((character, at) => (kind.test(character) ? [at] : []));
  return found.length === 0 ? placeIn(text, n) : chosen(found, n);
}

export function fullWidth(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 32 && code < 127 ? String.fromCodePoint(code + 0xfee0) : character;
}
