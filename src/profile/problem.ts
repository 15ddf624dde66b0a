/** One thing that is wrong with a profile. */
export interface Problem {
  /** Where; empty for the profile as a whole. */
  readonly path: ProfilePath;
  /** Whether the last key of the path is wrong, or its value. */
  readonly at: "key" | "value";
  /** What is wrong and what would be right: the end of a sentence that begins with the place. */
  readonly text: string;
}

/** Keys and list positions that lead from the whole profile to one of its values. */
export type ProfilePath = readonly (string | number)[];
