import { INT32_MAX } from "../../../src/probe/pagination/ask.ts";
import type { Values } from "./property.ts";

/** A way in which the text of a query parameter is not an integer from 1 to 2147483647. */
export interface OutOfBounds {
  readonly id: string;
  /** A phrase: "less than 1". */
  readonly what: string;
  readonly values: Values<string>;
}

/** A spelling of an integer that the contract neither requires nor excludes. */
export interface Spelling {
  readonly id: string;
  readonly what: string;
  /** Makes the query from the parameter's name. The integer is 2 where there is one. */
  readonly query: (name: string) => string;
}

export const OUT_OF_BOUNDS: readonly OutOfBounds[] = [
  {
    id: "below",
    what: "less than 1",
    values: {
      edges: ["0", "-1"],
      arbitrary: (fc) => fc.integer({ min: -INT32_MAX - 1, max: 0 }).map(String),
      drawn: 1,
    },
  },
  {
    id: "above",
    what: "more than 2147483647",
    values: {
      // INT32_MAX + 1, numbers that wrap around to 1, and numbers that a double cannot represent.
      edges: [
        `${INT32_MAX + 1}`,
        `${2 ** 32 + 1}`,
        `${2n ** 64n + 1n}`,
        "9007199254740993",
        "9".repeat(40),
      ],
      arbitrary: (fc) => fc.bigInt({ min: BigInt(INT32_MAX) + 1n, max: 2n ** 70n }).map(String),
      drawn: 1,
    },
  },
  {
    id: "fraction",
    what: "a fraction",
    values: {
      edges: ["1.5", "0.5"],
      arbitrary: (fc) =>
        fc
          .tuple(fc.integer({ min: 1, max: INT32_MAX - 1 }), fc.integer({ min: 1, max: 9 }))
          .map(([whole, tenths]) => `${whole}.${tenths}`),
      drawn: 1,
    },
  },
  {
    id: "text",
    what: "text",
    values: {
      // Among them the texts of values that clients forgot to set, and words that a receiver may have meanings for.
      edges: ["abc", "1abc", "1\nabc", "NaN", "null", "last", "all"],
      arbitrary: (fc) => fc.stringMatching(/^[a-z]{1,8}$/),
      drawn: 1,
    },
  },
];

export const SPELLINGS: readonly Spelling[] = [
  { id: "decimal", what: "2.0", query: (name) => `${name}=2.0` },
  { id: "exponent", what: "2e0", query: (name) => `${name}=2e0` },
  { id: "hexadecimal", what: "0x2", query: (name) => `${name}=0x2` },
  { id: "plus", what: "+2", query: (name) => `${name}=%2B2` },
  { id: "leading-zero", what: "02", query: (name) => `${name}=02` },
  { id: "leading-blank", what: "a space, then 2", query: (name) => `${name}=%202` },
  { id: "trailing-blank", what: "2, then a space", query: (name) => `${name}=2%20` },
  { id: "empty", what: "nothing", query: (name) => `${name}=` },
  { id: "repeated", what: "first 2, then 3", query: (name) => `${name}=2&${name}=3` },
];
