import { STATUS_CODES } from "node:http";

import type { TransportFault } from "../http/exchange.ts";

/**
 * What was expected or seen: constant words around typed facts. The program works with the facts.
 * `inWords` makes the sentence where it is shown, and nothing parses it.
 */
export interface Phrase {
  /** The words before, between and after the facts: one more than there are facts. */
  readonly words: readonly string[];
  readonly facts: readonly Fact[];
}

/** A typed value in a phrase. */
export type Fact =
  /** A name of the contract, an RFC, the profile or the suite, such as a claim or a rule. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "number"; readonly number: number }
  /** `of` is the counted noun in the singular. */
  | { readonly kind: "count"; readonly count: number; readonly of: string }
  /** A value that the deployment chose, or that the seed determined. */
  | { readonly kind: "value"; readonly value: string }
  | AnswerFact
  /** The parameters of a request, without the question mark. */
  | { readonly kind: "query"; readonly query: string }
  /** The count of each value, the most frequent first, and the number of further values. */
  | {
      readonly kind: "tally";
      readonly counts: readonly (readonly [value: string, times: number])[];
      readonly more: number;
    }
  | {
      readonly kind: "list";
      readonly items: readonly Phrase[];
      readonly separator: string;
    }
  | { readonly kind: "phrase"; readonly phrase: Phrase };

/** The answer: a status, or why there was no complete answer. */
export interface AnswerFact {
  readonly kind: "answer";
  /** HTTP status; 0 where there was none. */
  readonly status: number;
  readonly fault?: TransportFault | undefined;
  /** The system's error message for the fault. */
  readonly message?: string | undefined;
  /** `Retry-After` of a 429 or 503. */
  readonly retryAfter?: string | undefined;
}

/** A part of a phrase. A string is a name, and `undefined` shows as "undefined". */
export type Part = string | number | undefined | Fact | Phrase;

/** Makes a phrase from a template literal: its text is the words, its values are the facts. */
export function phrase(words: TemplateStringsArray, ...parts: readonly Part[]): Phrase {
  return { words: [...words], facts: parts.map(factOf) };
}

function factOf(part: Part): Fact {
  if (typeof part === "string") return { kind: "name", name: part };
  if (typeof part === "number") return { kind: "number", number: part };
  if (part === undefined) return { kind: "name", name: "undefined" };
  return "words" in part ? { kind: "phrase", phrase: part } : part;
}

/** A count with its noun: "1 item", "2 items". */
export function countFact(number: number, of: string): Fact {
  return { kind: "count", count: number, of };
}

/** A value that the deployment chose, or that the seed determined. */
export function valueFact(text: string | number | boolean | null | undefined): Fact {
  return { kind: "value", value: String(text) };
}

/** Counts of values, the most frequent first, then by name; at most so many, or all. */
export function tallyFact(seen: ReadonlyMap<string, number>, most: number = Infinity): Fact {
  const counts = [...seen].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return { kind: "tally", counts: counts.slice(0, most), more: Math.max(0, counts.length - most) };
}

/**
 * A fact that is a list. An item that is neither a phrase nor a fact becomes one, as a value in `phrase` does.
 * @param separator stands between two items where the list is shown; default: a comma and a space
 */
export function listFact(items: readonly Part[], separator = ", "): Fact {
  return {
    kind: "list",
    separator,
    items: items.map((item) =>
      typeof item === "object" && "words" in item ? item : phrase`${item}`,
    ),
  };
}

/** A phrase as text for people. */
export function inWords(phrased: Phrase): string {
  return filled(phrased, factInWords);
}

/** The words of a phrase, with a text for each fact. */
function filled({ words, facts }: Phrase, textOf: (fact: Fact) => string): string {
  return facts.reduce(
    (text, fact, at) => text + textOf(fact) + (words[at + 1] ?? ""),
    words[0] ?? "",
  );
}

/** A fact as text for people. */
export function factInWords(fact: Fact): string {
  switch (fact.kind) {
    case "name":
      return fact.name;
    case "number":
      return String(fact.number);
    case "count":
      return `${fact.count} ${fact.of}${fact.count === 1 ? "" : "s"}`;
    case "value":
      return fact.value;
    case "answer":
      return answerInWords(fact);
    case "query":
      return fact.query === "" ? "without parameters" : `?${fact.query}`;
    case "tally":
      return [
        ...fact.counts.map(([value, n]) => `${value} (${n === 1 ? "once" : `${n} times`})`),
        ...(fact.more > 0 ? [`and ${fact.more} more`] : []),
      ].join(", ");
    case "list":
      return fact.items.map(inWords).join(fact.separator);
    case "phrase":
      return inWords(fact.phrase);
  }
}

const FAULTS: Readonly<Record<TransportFault, string>> = {
  unreachable: "no connection could be made",
  tls: "the TLS connection failed",
  timeout: "no answer within the time limit",
  reset: "the connection was closed before an answer",
  cut: "the connection was closed in the middle of the answer",
  malformed: "the answer was not valid HTTP",
  cancelled: "the run was interrupted",
};

function answerInWords({ status, fault, message, retryAfter }: AnswerFact): string {
  const known = status > 0 ? `${status} ${STATUS_CODES[status] ?? ""}`.trim() : undefined;
  if (fault === undefined) {
    return retryAfter === undefined ? (known ?? "") : `${known}, Retry-After: ${retryAfter}`;
  }
  if (known === undefined) return `${FAULTS[fault]} (${message})`;
  const why = fault === "timeout" ? "no complete answer within the time limit" : FAULTS[fault];
  return `${why}, ${known} (${message})`;
}

/**
 * Copies a phrase and passes every text that the deployment or the profile may have influenced
 * through `change`. The kinds of facts stay.
 */
export function mapPhrase({ words, facts }: Phrase, change: (text: string) => string): Phrase {
  return { words: words.map(change), facts: facts.map((fact) => mapFact(fact, change)) };
}

function mapFact(fact: Fact, change: (text: string) => string): Fact {
  switch (fact.kind) {
    case "name":
      return { ...fact, name: change(fact.name) };
    case "value":
      return { ...fact, value: change(fact.value) };
    case "query":
      return { ...fact, query: change(fact.query) };
    case "answer": {
      const { message, retryAfter } = fact;
      return {
        ...fact,
        ...(message !== undefined && { message: change(message) }),
        ...(retryAfter !== undefined && { retryAfter: change(retryAfter) }),
      };
    }
    case "tally":
      return { ...fact, counts: fact.counts.map(([value, n]) => [change(value), n]) };
    case "list":
      return { ...fact, items: fact.items.map((item) => mapPhrase(item, change)) };
    case "phrase":
      return { ...fact, phrase: mapPhrase(fact.phrase, change) };
    case "number":
    case "count":
      return fact;
  }
}

/** All facts of a phrase, including those of phrases inside it, in order. */
export function factsOf({ facts }: Phrase): Fact[] {
  return facts.flatMap((fact) => {
    if (fact.kind === "phrase") return factsOf(fact.phrase);
    return fact.kind === "list" ? fact.items.flatMap(factsOf) : [fact];
  });
}

/**
 * A phrase without details that vary between deployments and seeds: counts, values and the exact 2xx.
 * Page parameters keep their order of magnitude. A list keeps each kind once. Whether a name is quoted says nothing of what was seen.
 */
export function gistOf(phrased: Phrase): string {
  return filled(phrased, gistOfFact).replaceAll("`", "");
}

function gistOfFact(fact: Fact): string {
  switch (fact.kind) {
    case "name":
      return fact.name;
    case "number":
      return fact.number === 0 ? "0" : "n";
    case "count":
      return fact.count === 0 ? `no ${fact.of}` : fact.of;
    case "value":
      return "a value";
    case "answer":
      if (fact.fault !== undefined) return fact.fault;
      // Any success is one, and any redirect; 304 leads nowhere.
      return fact.status >= 200 && fact.status < 400 && fact.status !== 304
        ? `${Math.trunc(fact.status / 100)}xx`
        : String(fact.status);
    case "query":
      return [...new URLSearchParams(fact.query)]
        .map(([name, number]) => `${name}=${magnitude(number)}`)
        .join("&");
    case "tally":
      return "";
    case "list":
      return [...new Set(fact.items.map(gistOf))].join(fact.separator);
    case "phrase":
      return gistOf(fact.phrase);
  }
}

function magnitude(text: string): string {
  const number = Number(text);
  if (!/^-?\d+$/.test(text)) return text;
  if (number < 1) return number < 0 ? "<0" : "0";
  const passed = [100, 2 ** 15 - 1, 2 ** 31 - 1, 2 ** 32 - 1].findLast((bound) => number > bound);
  return passed === undefined ? "n" : `>${passed}`;
}
