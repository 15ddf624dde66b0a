import { type Phrase, phrase } from "../../../probe/phrase.ts";
import type { Line, Sample } from "./line.ts";

/** A value that was compared, and the right ones for it. */
export interface Compared {
  readonly value: unknown;
  readonly right: readonly string[];
}

/** A relation of a wrong value to the right one, by which a receiver may decide; the special ones first. */
interface Relation {
  readonly is: Phrase;
  readonly isNot: Phrase;
  holds(value: unknown, right: string): boolean;
}

function ofText(
  is: Phrase,
  isNot: Phrase,
  holds: (text: string, right: string) => boolean,
): Relation {
  return {
    is,
    isNot,
    holds: (value, right) => typeof value === "string" && holds(value, right),
  };
}

const RELATIONS: readonly Relation[] = [
  {
    is: phrase`is missing`,
    isNot: phrase`is there and wrong`,
    holds: (value) => value === undefined,
  },
  {
    is: phrase`is an empty text`,
    isNot: phrase`is another wrong one`,
    holds: (value) => value === "",
  },
  {
    is: phrase`is null`,
    isNot: phrase`is there and wrong`,
    holds: (value) => value === null,
  },
  {
    is: phrase`is missing or null`,
    isNot: phrase`is there and wrong`,
    holds: (value) => value === undefined || value === null,
  },
  {
    is: phrase`is missing, null, 0 or empty`,
    isNot: phrase`is there and wrong`,
    holds: (value) => !value,
  },
  {
    is: phrase`is an empty array`,
    isNot: phrase`is none`,
    holds: (value) => Array.isArray(value) && value.length === 0,
  },
  { is: phrase`is an array`, isNot: phrase`is none`, holds: (value) => Array.isArray(value) },
  {
    is: phrase`is no text`,
    isNot: phrase`is a wrong one`,
    holds: (value) => value !== undefined && typeof value !== "string",
  },
  ofText(
    phrase`differs from the right one only in capitals`,
    phrase`differs in more`,
    (text, right) => text.toLowerCase() === right.toLowerCase(),
  ),
  ofText(
    phrase`has only blanks around the right one`,
    phrase`differs in more`,
    (text, right) => text.trim() === right,
  ),
  ofText(
    phrase`differs from the right one only in slashes at the end`,
    phrase`differs in more`,
    (text, right) => text.replace(/\/+$/, "") === right.replace(/\/+$/, ""),
  ),
  ofText(
    phrase`is the beginning of the right one`,
    phrase`is not`,
    (text, right) => text !== "" && right.startsWith(text),
  ),
  ofText(phrase`begins with the right one`, phrase`does not`, (text, right) =>
    text.startsWith(right),
  ),
  ofText(phrase`ends with the right one`, phrase`does not`, (text, right) => text.endsWith(right)),
  ofText(
    phrase`is the same URL as the right one in another spelling`,
    phrase`is another URL`,
    (text, right) =>
      partOf(text, "href") !== undefined && partOf(text, "href") === partOf(right, "href"),
  ),
  ofText(
    phrase`has the same path as the right one`,
    phrase`has another`,
    (text, right) =>
      partOf(text, "pathname") !== undefined &&
      partOf(text, "pathname") === partOf(right, "pathname"),
  ),
  ofText(
    phrase`has scheme, host and port of the right one`,
    phrase`has others`,
    (text, right) => URL.canParse(right) && partOf(text, "origin") === partOf(right, "origin"),
  ),
  ofText(
    phrase`has the host of the right one`,
    phrase`has another`,
    (text, right) => URL.canParse(right) && partOf(text, "host") === partOf(right, "host"),
  ),
  ofText(phrase`contains the right one`, phrase`does not`, (text, right) => text.includes(right)),
];

function partOf(text: string, name: "origin" | "host" | "href" | "pathname"): string | undefined {
  return URL.canParse(text) ? new URL(text)[name] : undefined;
}

/**
 * The relation to the right value that every wrong value has which was accepted, and none that was refused on the same operations. Where the
 * others refuse such values, there is one line for each operation.
 * @param subject what the value is of, such as "a token whose `aud`", and a word for another such thing
 */
export function textLines(
  samples: readonly Sample<Compared>[],
  subject: { readonly one: Phrase; readonly another: Phrase },
): Line[] {
  const lenient = new Set(samples.flatMap((one) => (isTaken(one) ? [one.operation] : [])));
  const there = samples.filter(({ operation }) => lenient.has(operation));
  const elsewhere = samples.filter(({ operation }) => !lenient.has(operation));
  const texts = there.filter(({ value: { value } }) => typeof value === "string");
  const relation = separating(there) ?? separating(texts);
  if (!relation) return [];
  const line: Line = {
    accepts: phrase`${subject.one} ${relation.is}`,
    refuses: phrase`${subject.another} ${relation.isNot}`,
  };
  const isLimited = elsewhere.some((one) => !one.accepted && hasIt(relation, one));
  return isLimited ? [...lenient].map((operation) => ({ ...line, operation })) : [line];
}

/** Whether a wrong value was accepted. */
function isTaken({ accepted, isWrong }: Sample<unknown>): boolean {
  return accepted && isWrong;
}

function hasIt(relation: Relation, { value: { value, right } }: Sample<Compared>): boolean {
  return right.some((one) => relation.holds(value, one));
}

function separating(samples: readonly Sample<Compared>[]): Relation | undefined {
  const taken = samples.filter(isTaken);
  const refused = samples.filter((one) => !one.accepted);
  if (taken.length === 0 || refused.length === 0) return undefined;
  const separates = (relation: Relation): boolean =>
    taken.every((one) => hasIt(relation, one)) && !refused.some((one) => hasIt(relation, one));
  return RELATIONS.find(separates) ?? beginning(taken, refused).find(separates);
}

/** Fewer characters than these say nothing: every URL begins with them. */
const LEAST_SHARED = 9;

/** That a value has the first characters of the right one, as many as all of the accepted ones have. */
function beginning(
  taken: readonly Sample<Compared>[],
  refused: readonly Sample<Compared>[],
): Relation[] {
  const lengthOf = ({ value: { value, right } }: Sample<Compared>): number =>
    typeof value === "string" ? Math.max(0, ...right.map((one) => shared(value, one))) : 0;
  const length = Math.min(...taken.map(lengthOf));
  const most = Math.max(0, ...refused.map(lengthOf));
  if (length < LEAST_SHARED || most >= length) return [];
  return [
    ofText(
      phrase`has the first ${length} characters of the right one`,
      phrase`has only the first ${most} of them`,
      (text, right) => shared(text, right) >= length,
    ),
  ];
}

/** With how many of the same characters two texts begin. */
function shared(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
