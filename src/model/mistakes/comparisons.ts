/** A wrong way to compare a text with the right one, made of what is done to both before, and of how they are compared then. */
export interface Comparison {
  readonly name: string;
  /** What a receiver with it does to CLAIM. */
  readonly behaves: string;
  readonly look: string;
  readonly isTaken: (given: string, right: string) => boolean;
}

interface Relation {
  readonly name: string;
  readonly behaves: string;
  readonly look: string;
  readonly holds: (given: string, right: string) => boolean;
}

const RELATIONS: readonly Relation[] = [
  {
    name: "equal",
    behaves: "compares CLAIM",
    look: "",
    holds: (given, right) => given === right,
  },
  {
    name: "prefix",
    behaves: "compares CLAIM by prefix",
    look: "The code uses `startsWith`, or a pattern without its end. ",
    holds: (given, right) => given.startsWith(right),
  },
  {
    name: "suffix",
    behaves: "compares CLAIM by suffix",
    look: "The code uses `endsWith`, or a pattern without its beginning. ",
    holds: (given, right) => given.endsWith(right),
  },
  {
    name: "substring",
    behaves: "searches CLAIM for the right value",
    look: "The code uses `includes`, `contains` or `indexOf` on the text. ",
    holds: (given, right) => given.includes(right),
  },
  {
    name: "part",
    behaves: "accepts any part of the right value in CLAIM",
    look: "The two sides of `includes` or `contains` are swapped. ",
    holds: (given, right) => given !== "" && right.includes(given),
  },
];

/** What code does to both texts first. */
export interface Preparation {
  readonly name: string;
  /** The end of the sentence. */
  readonly words: string;
  readonly look: string;
  readonly of: (text: string) => string;
}

const PLAIN: Preparation = { name: "", words: "", look: "", of: (text) => text };

/** Preparations that fit every text. */
export const PREPARATIONS: readonly Preparation[] = [
  PLAIN,
  {
    name: "in-any-case",
    words: ", without regard to case",
    look: "Both texts are made lower case first.",
    of: (text) => text.toLowerCase(),
  },
  {
    name: "trimmed",
    words: ", without blanks around it",
    look: "The text is trimmed first.",
    of: (text) => text.trim(),
  },
  {
    name: "trimmed-in-any-case",
    words: ", without regard to case and to blanks around it",
    look: "The text is trimmed and made lower case first.",
    of: (text) => text.trim().toLowerCase(),
  },
];

/** Every relation after every preparation, but the right comparison. */
export function comparisons(
  stem: string,
  preparations: readonly Preparation[] = PREPARATIONS,
): Comparison[] {
  return preparations.flatMap(({ name, words, look, of }) =>
    RELATIONS.filter((one) => one.name !== "equal" || name !== "").map((relation): Comparison => ({
      name: [stem, relation.name, name].filter(Boolean).join("-"),
      behaves: `${relation.behaves}${words}`,
      look: `${relation.look}${look}`.trim(),
      isTaken: (given, right) => relation.holds(of(given), of(right)),
    })),
  );
}
