/** One problem of a profile. */
export interface Problem {
  /** Its place; empty for the whole profile. */
  readonly path: ProfilePath;
  /** Whether the last key of the path is wrong, or its value. */
  readonly at: "key" | "value";
  /** What is wrong and what would be right. It ends a sentence that begins with the place. */
  readonly text: string;
}

/** Keys and list positions from the whole profile to one of its values. */
export type ProfilePath = readonly (string | number)[];
