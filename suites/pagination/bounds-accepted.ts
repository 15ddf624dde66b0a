import { counted } from "../../src/lib/words.ts";
import { Finding } from "../../src/probe/finding.ts";
import {
  ask,
  type Asked,
  describePage,
  INT32_MAX,
  isReadable,
  type Page,
  queryOf,
} from "../../src/probe/pagination/page.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, type CollectionJudge, onPaginated } from "../shared/collection.ts";
import { forAllAnswers, forAllPages, inBounds } from "./pages/in-bounds.ts";

const cases: readonly CollectionJudge[] = [
  {
    id: "values",
    title: "`page` and `pageSize` from 1 to 2147483647 are accepted",
    judge: (probe, collection) =>
      forAllAnswers(probe, collection, (page, asked) => judgeStatus(collection, page, asked)),
  },
  {
    id: "granted",
    title: "`pageSize` in the info is not less than the requested one",
    grounds: { source: "contract, Limits; nocodb/nocodb#33" },
    level: "SHOULD",
    judge: (probe, collection) => forAllPages(probe, collection, judgeGranted),
  },
  {
    id: "cap",
    title: "The greatest `pageSize` that is granted",
    level: "OBSERVE",
    judge: observeCap,
  },
  {
    id: "beyond-the-end",
    title: "The answer beyond the last page",
    level: "OBSERVE",
    judge: async (probe, collection) => {
      const { reply, items, evidence } = await ask(probe, collection, queryOf(INT32_MAX, 1));
      const shown =
        items && reception(reply) === "accepted" ? `, ${counted(items.length, "item")}` : "";
      return Finding.observed(phrase`${describeReply(reply)}${shown}`, evidence);
    },
  },
];

export const rule: Rule = defineRule({
  id: "pagination.bounds-accepted",
  title: "Every `page` and `pageSize` from 1 to 2147483647 is accepted",
  level: "MUST",
  verifies: [
    "limits.page",
    "service.common-pagination",
    "models.query.purpose",
    "models.query.page.bounds",
    "models.query.page-size.bounds",
    "endpoints.pagination.get",
    "limits.page-size",
  ],
  dependsOn: ["pagination.results-info/page", "pagination.echo/page-size"],
  cases: () => onPaginated(cases),
});

/** The info of the answer to the greatest pageSize that is answered with one. */
async function observeCap(probe: Probe, collection: Collection): Promise<Finding> {
  const edges = inBounds(collection).edges.toSorted(([, a], [, b]) => b - a);
  for (const edge of edges) {
    const page = await ask(probe, collection, queryOf(...edge));
    const granted = isReadable(page) ? page.info?.pageSize : undefined;
    if (granted === undefined) continue;
    const [, pageSize] = edge;
    const value = granted < pageSize ? phrase`${granted}` : phrase`${pageSize}, as asked for`;
    return Finding.observed(value, page.evidence);
  }
  return Finding.inconclusive(phrase`no answer says its \`pageSize\``);
}

/** A page without known items may be answered as missing. */
function judgeStatus({ shown }: Collection, page: Page, [number, pageSize]: Asked): Finding {
  const { reply, evidence } = page;
  switch (reception(reply)) {
    case "accepted":
      return Finding.pass(evidence);
    case "unclear":
      return Finding.inconclusive(describePage(page), evidence);
    default:
  }
  if (reply.status === 404 && (number - 1) * pageSize >= shown) {
    // Without any items even the first page may be answered as missing, which shows nothing about bounds.
    return number > 1 ? Finding.pass(evidence) : Finding.inconclusive(describePage(page), evidence);
  }
  return {
    kind: "fail",
    expected: phrase`a 2xx, or 404 beyond the last page: both values are inside the bounds`,
    actual: describePage(page),
    evidence,
    comparative: true,
  };
}

function judgeGranted(page: Page, [, asked]: Asked): Finding {
  const { info, evidence } = page;
  const granted = info?.pageSize;
  if (granted === undefined) return Finding.notApplicable(phrase`no info, ${describePage(page)}`);
  return granted >= asked
    ? Finding.pass(evidence)
    : {
        kind: "fail",
        expected: phrase`pages of ${asked} items, as asked for`,
        actual: phrase`${describePage(page)}: the info says pages of ${granted}`,
        evidence,
      };
}
