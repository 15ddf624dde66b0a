import type { CaseResult } from "../../src/engine/events.ts";
import { inWords, type Phrase } from "../../src/probe/phrase.ts";

/** Replaces phrases by the sentences that people read. */
export type Worded<T> = T extends Phrase
  ? string
  : T extends object
    ? { [Name in keyof T]: Worded<T[Name]> }
    : T;

export type WordedResult = Worded<CaseResult>;

export function worded<T>(value: T): Worded<T>;
export function worded(value: unknown): unknown {
  if (isPhrase(value)) return inWords(value);
  if (Array.isArray(value)) return value.map((one): unknown => worded(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, worded(one)]));
}

function isPhrase(value: unknown): value is Phrase {
  return typeof value === "object" && value !== null && "words" in value && "facts" in value;
}
