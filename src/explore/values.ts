import type * as FastCheck from "fast-check";

import { SCOPES } from "../contract/operations.ts";
import type { Change, Claim, Start, Value } from "./change.ts";
import type { Edited } from "./edits.ts";
import { ID_EDITS } from "./edits/id.ts";
import { NUMBER_EDITS } from "./edits/number.ts";
import { EDITS } from "./edits/text.ts";
import { URL_EDITS } from "./edits/url.ts";

export type Fc = typeof FastCheck;
export type Arbitrary<T> = FastCheck.Arbitrary<T>;

const GREATEST_NUMBER = 63;
/** A drawn value may shrink to one of the first kind. */
export const SMALLER = { withCrossShrink: true };

/** The edits that programs make most, which are drawn more often than the others. */
const USUAL = [
  "more after",
  "more before",
  "blank",
  "blank",
  "without end",
  "other case",
  "listed last",
  "array with others",
  "another last character",
];

/** Names of edits, with what they edit. */
function names(table: object, of?: string): string[] {
  return Object.keys(table).map((name) => (of === undefined ? name : `${of}: ${name}`));
}

export const OF_TEXT: readonly string[] = [...names(EDITS), ...USUAL];
export const OF_URL: readonly string[] = [...OF_TEXT, ...twice(names(URL_EDITS, "URL"))];
export const OF_ID: readonly string[] = [...OF_TEXT, ...twice(names(ID_EDITS, "id"))];
export const OF_NUMBER: readonly string[] = names(NUMBER_EDITS, "number");

function twice<T>(items: readonly T[]): T[] {
  return [...items, ...items];
}

const ODD: readonly unknown[] = [
  null,
  "",
  true,
  0,
  1,
  [],
  {},
  false,
  -1,
  "null",
  "undefined",
].concat([[null], [""], "0", "true", 1e308, [[]], "*", ".*", "%", "NaN", "[object Object]", " "]);

/** Arbitraries of values, for changes of any kind. */
export interface Values {
  readonly number: Arbitrary<number>;
  readonly odd: Arbitrary<Value>;
  readonly scopes: Arbitrary<Value>;
  readonly goodScopes: Arbitrary<Value>;
  readonly edits: (how: readonly string[], least?: number) => Arbitrary<readonly Edited[]>;
  readonly near: (start: Start, how: readonly string[], least?: number) => Arbitrary<Value>;
  readonly time: (seconds: readonly number[]) => Arbitrary<Value>;
  readonly among: (...tables: readonly Readonly<Record<string, unknown>>[]) => Arbitrary<string>;
  /** A change of a claim, to the first value more often than to the others. */
  readonly claim: (
    name: Claim,
    ...values: readonly [Arbitrary<Value>, ...Arbitrary<Value>[]]
  ) => Arbitrary<Change>;
}

export function valuesFor(fc: Fc): Values {
  const number = fc.nat(GREATEST_NUMBER);
  const edit = (how: readonly string[]): Arbitrary<Edited> =>
    fc.record({ how: fc.constantFrom(...how), n: number });
  const edits: Values["edits"] = (how, least = 1) =>
    fc.oneof(
      SMALLER,
      { weight: 5, arbitrary: fc.array(edit(how), { minLength: least, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(edit(how), { minLength: 2, maxLength: 2 }) },
    );
  const odd = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ODD).map((value): Value => ({ value })) },
    { weight: 1, arbitrary: fc.constant<Value>({ absent: true }) },
  );
  return {
    number,
    odd,
    edits,
    near: (start, how, least = 1) =>
      fc.record({ near: fc.constant(start), edits: edits(how, least) }),
    scopes: fc.record({
      near: fc.constant("scope" as const),
      edits: edits(OF_TEXT),
      others: fc.constantFrom(undefined, "before" as const, "after" as const),
    }),
    goodScopes: fc
      .tuple(
        fc.shuffledSubarray([...SCOPES, "openid", "profile"]),
        fc.constantFrom(" ", " ", ",", "  "),
      )
      .map(([words, separator]): Value => ({ value: words.join(separator) })),
    time: (seconds) =>
      fc.record({
        near: fc.constant("time" as const),
        seconds: fc.constantFrom(...seconds),
        edits: fc.oneof(
          SMALLER,
          { weight: 2, arbitrary: fc.constant<readonly Edited[]>([]) },
          { weight: 3, arbitrary: edits(OF_NUMBER) },
          { weight: 1, arbitrary: edits(OF_TEXT) },
        ),
      }),
    among: (...tables) => fc.constantFrom(...tables.flatMap((table) => Object.keys(table))),
    claim: (name, first, ...others) =>
      fc.record({
        of: fc.constant("claim" as const),
        name: fc.constant(name),
        value: fc.oneof(
          SMALLER,
          { weight: 6, arbitrary: first },
          ...others.map((arbitrary) => ({ weight: 2, arbitrary })),
          { weight: 1, arbitrary: odd },
        ),
      }),
  };
}
