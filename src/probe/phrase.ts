import { STATUS_CODES } from "node:http";

import type { TransportFault } from "../http/exchange.ts";

/**
 * Something that was wanted or seen: constant words around typed facts. The program works with the
 * facts; `inWords` makes the sentence where it is shown, and nothing reads it back.
 */
export interface Phrase {
  /** One more than there are facts: what stands before, between and after them. */
  readonly words: readonly string[];
  readonly facts: readonly Fact[];
}

/** A typed value in a phrase. */
export type Fact =
  /** Of the contract, an RFC, the profile or the suite: a claim, a header, a rule, a set phrase. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "number"; readonly number: number }
  /** `of` is what is counted, in the singular. */
  | { readonly kind: "count"; readonly count: number; readonly of: string }
  /** Chosen by the deployment, or drawn by the seed. */
  | { readonly kind: "value"; readonly value: string }
  | AnswerFact
  /** The parameters of a request, without the question mark. */
  | { readonly kind: "query"; readonly query: string }
  /** How often each was seen, the most frequent first; how many more there are beside them. */
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

/** What came back: a status, or why there was no whole answer. */
export interface AnswerFact {
  readonly kind: "answer";
  /** HTTP status; 0 where there was none. */
  readonly status: number;
  readonly fault?: TransportFault | undefined;
  /** The system's words for the fault. */
  readonly message?: string | undefined;
  /** `Retry-After` of a 429 or 503. */
  readonly retryAfter?: string | undefined;
}

/** What may stand in a phrase: a string is a name, a number a number, and what is absent says so. */
export type Part = string | number | undefined | Fact | Phrase;

/** Makes a phrase of a template: its constant text is the words, what is filled in the facts. */
export function phrase(words: TemplateStringsArray, ...parts: readonly Part[]): Phrase {
  return { words: [...words], facts: parts.map(factOf) };
}

function factOf(part: Part): Fact {
  if (typeof part === "string") return { kind: "name", name: part };
  if (typeof part === "number") return { kind: "number", number: part };
  if (part === undefined) return { kind: "name", name: "undefined" };
  return "words" in part ? { kind: "phrase", phrase: part } : part;
}

/** `count` things; "1 item", "2 items". */
export function countFact(number: number, of: string): Fact {
  return { kind: "count", count: number, of };
}

/** What the deployment chose, or the seed drew. */
export function valueFact(text: string | number | boolean | null | undefined): Fact {
  return { kind: "value", value: String(text) };
}

/**
 * How often each value was seen, the most frequent first; equally frequent ones in the order of their names.
 * @param most so many are told apart
 */
export function tallyFact(seen: ReadonlyMap<string, number>, most: number = Infinity): Fact {
  const counts = [...seen].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return { kind: "tally", counts: counts.slice(0, most), more: Math.max(0, counts.length - most) };
}

/** Phrases, or what may stand in one, one after the other. */
export function listFact(items: readonly Part[], separator = ", "): Fact {
  return {
    kind: "list",
    separator,
    items: items.map((item) =>
      typeof item === "object" && "words" in item ? item : phrase`${item}`,
    ),
  };
}

/** A phrase as a sentence's part, for people. */
export function inWords({ words, facts }: Phrase): string {
  return facts.reduce(
    (text, fact, at) => text + factInWords(fact) + (words[at + 1] ?? ""),
    words[0] ?? "",
  );
}

/** A fact as it stands in a sentence. */
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
  return `${FAULTS[fault]}${known === undefined ? "" : `, ${known}`} (${message})`;
}

/**
 * A phrase in which every text that the deployment or the profile may have had a hand in was put
 * through `change`; kinds stay.
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

/** The facts of a phrase, those of phrases inside of it in their place. */
export function factsOf({ facts }: Phrase): Fact[] {
  return facts.flatMap((fact) => {
    if (fact.kind === "phrase") return factsOf(fact.phrase);
    return fact.kind === "list" ? fact.items.flatMap(factsOf) : [fact];
  });
}

/**
 * A phrase without what differs from deployment to deployment and from seed to seed: counts, values,
 * which 2xx it was. Of the parameters of pages the order of magnitude is kept; of a list, each kind once.
 */
export function gistOf({ words, facts }: Phrase): string {
  return facts.reduce(
    (text, fact, at) => text + gistOfFact(fact) + (words[at + 1] ?? ""),
    words[0] ?? "",
  );
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
      return fact.status >= 200 && fact.status < 300 ? "2xx" : String(fact.status);
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
