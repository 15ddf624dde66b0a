/** A value that matches the right one where code takes it for a pattern, or reads it as C does. */
export interface Pattern {
  readonly name: string;
  /** The end of a sentence: "is `%`". */
  readonly what: string;
  readonly value: (right: string) => string;
}

/** Patterns of SQL and of regular expressions, and a value that ends for C where the right one does. */
export const PATTERNS: readonly Pattern[] = [
  { name: "percent", what: "is `%`, which SQL matches with any text", value: () => "%" },
  {
    name: "underscores",
    what: "has `_`, which SQL matches with any character, for each character of the right value",
    value: (right) => "_".repeat(right.length),
  },
  { name: "regex", what: "is the regular expression `.*`", value: () => ".*" },
  {
    name: "nul",
    what: "is the right value, a NUL, and more",
    value: (right) => `${right}\0.conformance`,
  },
];

/** Scopes and bindings have it among other words for "all". */
export const ASTERISK: Pattern = {
  name: "asterisk",
  what: "is `*`, which matches any text where names of files are patterns",
  value: () => "*",
};
