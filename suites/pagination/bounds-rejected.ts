import type { Level } from "../../src/contract/levels.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { ask, describePage, queryOf, withQuery } from "../../src/probe/pagination/ask.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, oneCollection, onPaginated } from "../shared/collection.ts";
import {
  type OutOfBounds,
  OUT_OF_BOUNDS,
  type Spelling,
  SPELLINGS,
} from "./pages/out-of-bounds.ts";
import { forAll } from "./pages/property.ts";

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
  OUT_OF_BOUNDS.map((kind) => ({
    id: `${parameter.id}-${kind.id}`,
    title: `${parameter.name} is ${kind.what}`,
    judge: (probe: Probe, collection: Collection) => judge(probe, collection, parameter, kind),
  })),
);

const spelled = PARAMETERS.flatMap((parameter) =>
  SPELLINGS.map((spelling) => ({
    id: `${parameter.id}-${spelling.id}`,
    title: `The answer to ${parameter.name} in another spelling: ${spelling.what}`,
    level: "OBSERVE" as Level,
    judge: (probe: Probe, collection: Collection) =>
      observe(probe, collection, parameter, spelling),
  })),
);

export const rule: Rule = defineRule({
  id: "pagination.bounds-rejected",
  title: "A page or pageSize that is not an integer from 1 to 2147483647 gets a 4xx",
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
  { values }: OutOfBounds,
): Promise<Finding> {
  const good = await ask(probe, collection, queryOf(1, 1));
  if (reception(good.reply) !== "accepted") {
    const reason = phrase`a value in bounds is not accepted either: ${describePage(good)}`;
    return { kind: "inconclusive", reason, evidence: good.evidence };
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

async function observe(
  probe: Probe,
  collection: Collection,
  { name, beside }: Parameter,
  { query }: Spelling,
): Promise<Finding> {
  const { reply, info, evidence } = await ask(probe, collection, `${beside}&${query(name)}`);
  const read = reception(reply) === "accepted" ? info?.[name] : undefined;
  const value = phrase`${describeReply(reply)}${read === undefined ? "" : `, read as ${read}`}`;
  return { kind: "observed", value, evidence };
}
