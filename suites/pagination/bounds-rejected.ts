import { Finding } from "../../src/probe/finding.ts";
import {
  ask,
  describePage,
  INT32_MAX,
  queryOf,
  withQuery,
} from "../../src/probe/pagination/page.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  type Collection,
  type CollectionJudge,
  oneCollection,
  onPaginated,
} from "../shared/collection.ts";
import { forAll, type Values } from "./pages/property.ts";

/** A way in which the text of a query parameter is not an integer from 1 to 2147483647. */
interface OutOfBounds {
  readonly id: string;
  /** A phrase: "less than 1". */
  readonly what: string;
  readonly values: Values<string>;
}

const OUT_OF_BOUNDS: readonly OutOfBounds[] = [
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

/** Spellings of an integer that the contract neither requires nor excludes, as what follows the parameter's name: 2 where there is one. */
const SPELLINGS: readonly (readonly [id: string, what: string, text: string])[] = [
  ["decimal", "2.0", "=2.0"],
  ["exponent", "2e0", "=2e0"],
  ["hexadecimal", "0x2", "=0x2"],
  ["plus", "+2", "=%2B2"],
  ["leading-zero", "02", "=02"],
  ["leading-blank", "a space, then 2", "=%202"],
  ["trailing-blank", "2, then a space", "=2%20"],
  ["empty", "nothing", "="],
  ["repeated", "first 2, then 3", "=2&NAME=3"],
];

/** A parameter, and the other one, which is always sent too so that nothing depends on defaults. */
interface Parameter {
  readonly name: "page" | "pageSize";
  readonly id: string;
  readonly beside: string;
}

const PARAMETERS: readonly Parameter[] = [
  { name: "page", id: "page", beside: "pageSize=1" },
  { name: "pageSize", id: "page-size", beside: "page=1" },
];

const rejected = PARAMETERS.flatMap((parameter) =>
  OUT_OF_BOUNDS.map(({ id, what, values }): CollectionJudge => ({
    id: `${parameter.id}-${id}`,
    title: `${parameter.name} is ${what}`,
    judge: (probe, collection) => judge(probe, collection, parameter, values),
  })),
);

const spelled = PARAMETERS.flatMap(({ id, name, beside }) =>
  SPELLINGS.map(([spelling, what, text]): CollectionJudge => ({
    id: `${id}-${spelling}`,
    title: `The answer to ${name} in another spelling: ${what}`,
    level: "OBSERVE",
    async judge(probe, collection) {
      const query = `${beside}&${name}${text.replace("NAME", name)}`;
      const { reply, info, evidence } = await ask(probe, collection, query);
      const read = reception(reply) === "accepted" ? info?.[name] : undefined;
      const value = phrase`${describeReply(reply)}${read === undefined ? "" : `, read as ${read}`}`;
      return Finding.observed(value, evidence);
    },
  })),
);

export const rule: Rule = defineRule({
  id: "pagination.bounds-rejected",
  title: "A `page` or `pageSize` that is not an integer from 1 to 2147483647 gets a 4xx",
  level: "MUST",
  verifies: [
    "limits.page",
    "models.query.page.type",
    "models.query.page.bounds",
    "models.query.page-size.type",
    "models.query.page-size.bounds",
    "errors.kind.bad-request",
    "limits.page-size",
  ],
  // What is not read at all is not validated either.
  dependsOn: ["pagination.results-info/page", "pagination.echo"],
  cases: (facts) => [...onPaginated(rejected), ...onPaginated(spelled, oneCollection(facts))],
});

/** A rejection proves something only if the same parameters are accepted with values within bounds. */
async function judge(
  probe: Probe,
  collection: Collection,
  { name, beside }: Parameter,
  values: Values<string>,
): Promise<Finding> {
  const good = await ask(probe, collection, queryOf(1, 1));
  if (reception(good.reply) !== "accepted") {
    const reason = phrase`a value in bounds is not accepted either: ${describePage(good)}`;
    return Finding.inconclusive(reason, good.evidence);
  }
  // What generated values show beside the edges follows from code that collections share.
  const isFirst = oneCollection(probe.target).includes(collection.operation);
  return forAll(probe, isFirst ? values : { ...values, drawn: 0 }, async (value) => {
    const query = `${beside}&${name}=${encodeURIComponent(value)}`;
    const finding = await probe.rejects(withQuery(query));
    return finding.kind === "fail"
      ? {
          ...finding,
          expected: phrase`a 4xx for ${query}`,
          actual: phrase`${{ kind: "query", query }}: ${finding.actual}`,
        }
      : finding;
  });
}
