import { Finding, together } from "../../src/probe/finding.ts";
import { differingItems, otherItems, otherOrder } from "../../src/probe/pagination/laws.ts";
import {
  type Asked,
  counted,
  describePage,
  INT32_MAX,
  keysOn,
  type Page,
  surplus,
} from "../../src/probe/pagination/page.ts";
import {
  evidenceOf,
  grantedOf,
  readPage,
  type Series,
} from "../../src/probe/pagination/reading.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, type CollectionJudge, onSettled } from "../shared/collection.ts";
import { forAllAnswers } from "./pages/in-bounds.ts";
import { judgeLarge } from "./pages/large.ts";
import { forDenied } from "./pages/of-denied.ts";
import { AN_ITEM, TWO_PAGES } from "./pages/too-few.ts";
import { steadyWalk, type Walk, walkAgain } from "./pages/walk.ts";

const cases: readonly CollectionJudge[] = [
  {
    id: "pages",
    title: "consecutive pages hold every item once",
    judge: async (probe, collection) =>
      judgePages(await steadyWalk(probe, collection, TWO_PAGES), probe, collection),
  },
  {
    id: "beyond-the-end",
    title: "a page far beyond the end has no items",
    dependsOn: ["pagination.bounds-accepted"],
    async judge(probe, collection) {
      await steadyWalk(probe, collection, AN_ITEM);
      // Answers from before there were items prove nothing.
      return forAllAnswers(probe, collection, judgeBeyond, { fresh: collection.shown === 0 });
    },
  },
  {
    id: "any-size",
    title: "the items come in the same order whatever the `pageSize`",
    level: "SHOULD",
    judge: async (probe, collection) => judgeOrder(await steadyWalk(probe, collection, TWO_PAGES)),
  },
  {
    id: "large",
    title: "a page of the largest size holds the items of short pages once",
    level: "SHOULD",
    dependsOn: ["pagination.partition/pages"],
    sends: 1,
    judge: async (probe, collection) =>
      judgeLarge(probe, collection, await steadyWalk(probe, collection, TWO_PAGES)),
  },
];

export const rule: Rule = defineRule({
  id: "pagination.partition",
  title: "The pages of a collection hold every item once",
  level: "MUST",
  verifies: [
    "models.query.page.meaning",
    "models.query.page-size.meaning",
    "models.info.total-items",
  ],
  phase: "state",
  dependsOn: ["pagination.results-info/page", "pagination.echo", "pagination.page-length"],
  cases: () => [
    ...onSettled(cases),
    ...forDenied([
      {
        id: "denied-pages",
        title: (what) => `consecutive pages of ${what} for the denied subject hold every item once`,
        needed: TWO_PAGES,
        judge: judgePages,
      },
    ]),
  ],
});

async function judgePages(walk: Walk, probe: Probe, collection: Collection): Promise<Finding> {
  const finding =
    otherItems(walk) ??
    (judgeOrder(walk).kind === "fail" ? await missesLater(probe, collection, walk) : undefined);
  if (finding) return finding;
  const holds: Finding = Finding.pass(evidenceOf(walk));
  return walk.whole ? holds : judgeEnd(probe, collection, walk);
}

/** No collection has as many items as this. */
const FAR = 1_000_000_000;
/** How often a collection is read again whose order depends on the pageSize. */
const MORE_WALKS = 4;

/**
 * Items that come in one order here and in another one there may be on two pages, or on none, though they happened not to
 * be. More walks show it, while nothing but the order changes.
 */
async function missesLater(probe: Probe, collection: Collection, first: Walk) {
  for (let walks = 0; walks < MORE_WALKS; walks++) {
    const walk = await walkAgain(probe, collection, first);
    const finding = walk && otherItems(walk);
    if (finding) return finding;
  }
  return undefined;
}

/**
 * Compares the end of a collection that is too large to be read whole: its last long page with two short pages, and with
 * the last item on its own page.
 */
async function judgeEnd(probe: Probe, collection: Collection, walk: Walk): Promise<Finding> {
  const { totalItems } = walk.window.info ?? {};
  const [{ pageSize }] = walk.series as [Series];
  const holds: Finding = Finding.pass(evidenceOf(walk));
  if (totalItems === undefined || totalItems < 1 || totalItems > INT32_MAX) return holds;
  if (2 * pageSize > grantedOf(walk.window)) return holds;
  const last = Math.ceil(totalItems / (2 * pageSize));
  const read = (number: number, size: number): Promise<Page | undefined> =>
    readPage(probe, collection, number, size);
  // The same pages before and after tell whether the collection changes meanwhile.
  const before = await together([read(last, 2 * pageSize), read(totalItems, 1)]);
  const halves = await together([read(2 * last - 1, pageSize), read(2 * last, pageSize)]);
  const after = await together([read(totalItems, 1), read(last, 2 * pageSize)]);
  const pages = [...before, ...halves, ...after];
  const [long, single, first, second, singleAgain, longAgain] = pages.map((page) =>
    page ? keysOn(page) : [],
  ) as [string[], string[], string[], string[], string[], string[]];
  const evidence = { probes: pages.flatMap((page) => (page ? [page.reply.exchange.id] : [])) };
  const mutations = [...surplus(long, longAgain), ...surplus(longAgain, long)];
  if (mutations.length > 0 || single[0] !== singleAgain[0]) {
    return Finding.inconclusive(
      phrase`the collection changes while its last pages are read`,
      evidence,
    );
  }
  const shown = [...long, ...surplus(single.slice(0, 1), long)];
  const where = phrase`the last two pages of ${pageSize}`;
  const beside = phrase`${counted(shown.length)} on page ${last} of ${2 * pageSize} and page ${totalItems} of 1`;
  const finding = differingItems(shown, [...first, ...second], where, beside);
  return finding ? { ...finding, evidence } : holds;
}

/** A 404 shows no items. Other rules judge any other refusal. */
function judgeBeyond(page: Page, [number, pageSize]: Asked): Finding {
  const { reply, items, info, evidence } = page;
  const before = (number - 1) * Math.min(pageSize, info?.pageSize ?? pageSize);
  if (before < FAR) return Finding.notApplicable(phrase`nothing far beyond the end was asked for`);
  if (reply.status === 404) return Finding.pass(evidence);
  if (reception(reply) !== "accepted" || !items)
    return Finding.inconclusive(describePage(page), evidence);
  return items.length === 0
    ? Finding.pass(evidence)
    : {
        kind: "fail",
        expected: phrase`no items: there is no such page`,
        actual: describePage(page),
        evidence,
      };
}

function judgeOrder(walk: Walk): Finding {
  if (walk.window.keyed) {
    return Finding.notApplicable(phrase`the answer holds the items by their ids, without an order`);
  }
  return otherOrder(walk) ?? Finding.pass(evidenceOf(walk));
}
