/** A bug in a receiver on some stack, and what an explanation of its run must say. */
export interface Plant {
  readonly name: string;
  /** The file with the bug, and the code that it replaces: the first occurrence. */
  readonly plant: readonly [file: string, right: string, wrong: string];
  /** The rule that must catch it. */
  readonly rule: string;
  /** All of them are in a right explanation. */
  readonly right: readonly RegExp[];
  /** None of them is in a right explanation. */
  readonly wrong: readonly RegExp[];
}

export const VERIFY = "docs/stacks/code/verify.ts";
export const API = "test/receivers/plain-api.ts";
export const HONO = "test/receivers/hono.ts";
export const OAUTH2 = "test/receivers/express-oauth2.ts";
