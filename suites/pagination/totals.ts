import { endCase, Finding, optional } from "../../src/probe/finding.ts";
import {
  lawFinding,
  otherPages,
  otherTotal,
  unfilledPages,
} from "../../src/probe/pagination/laws.ts";
import {
  ask,
  counted,
  describePage,
  isReadable,
  type Page,
  queryOf,
} from "../../src/probe/pagination/page.ts";
import { evidenceOf, pagesOf, readPage, type Series } from "../../src/probe/pagination/reading.ts";
import { listFact, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, type CollectionJudge, onSettled } from "../shared/collection.ts";
import { boundUnlisted } from "../shared/kind.ts";
import { forAllPages } from "./pages/in-bounds.ts";
import { forDenied } from "./pages/of-denied.ts";
import { AN_ITEM, tooFew, TWO_PAGES } from "./pages/too-few.ts";
import { steadyWalk, type Walk, walkThrough } from "./pages/walk.ts";

const cases: readonly CollectionJudge[] = [
  {
    id: "items",
    title: "`totalItems` is the number of items",
    async judge(probe, collection) {
      const walk = await tellingWalk(probe, collection, "totalItems", AN_ITEM);
      return walk.whole ? judgeItems(walk) : judgeEnd(probe, collection, walk);
    },
  },
  {
    id: "pages",
    title: "`totalPages` is the number of pages that the items fill",
    judge: judgePages,
  },
];

const bound: readonly CollectionJudge[] = [
  {
    id: "bound",
    title: "the totals of the list for a bound token count only what that token is shown",
    control: { bound: true },
    needs: ["claimsNamespace"],
    judge: judgeBound,
  },
  {
    id: "bound-pages",
    title: "the one organization in the list for a bound token is on page 1",
    control: { bound: true },
    needs: ["claimsNamespace"],
    sends: 2,
    judge: judgeBoundPages,
  },
];

const ofDenied: Parameters<typeof forDenied>[0] = [
  {
    id: "denied-items",
    title: (what) =>
      `\`totalItems\` of ${what} for the denied subject is the number of items that it is shown`,
    needed: AN_ITEM,
    judge: (walk, probe, collection) => {
      if (!tells(walk, "totalItems")) return NO_TOTAL;
      return walk.whole ? judgeItems(walk) : judgeEnd(probe, collection, walk);
    },
  },
  {
    id: "denied-pages",
    title: (what) =>
      `\`totalPages\` of ${what} for the denied subject is the number of pages that its items fill`,
    needed: TWO_PAGES,
    judge: (walk) => {
      if (!tells(walk, "totalPages")) return NO_TOTAL;
      if (!tells(walk, "totalItems")) return judgeFilled(walk);
      return contradiction(walk) ?? Finding.pass(evidenceOf(walk));
    },
  },
];

export const rule: Rule = defineRule({
  id: "pagination.totals",
  title: "`totalItems` and `totalPages` agree with the items and with each other",
  level: "MUST",
  verifies: ["models.info.total-items", "models.info.total-pages"],
  phase: "state",
  dependsOn: [
    "pagination.results-info/page",
    "pagination.echo",
    "pagination.page-length",
    "pagination.partition",
  ],
  cases: () => [
    ...onSettled(cases),
    ...onSettled(bound, ["listOrganizations"]),
    ...forDenied(ofDenied),
  ],
});

const NO_TOTAL: Finding = Finding.notApplicable(phrase`no answer tells it`);

/** A walk in which a page states the total. Both totals are optional. */
async function tellingWalk(
  probe: Probe,
  collection: Collection,
  total: "totalItems" | "totalPages",
  needed: number,
): Promise<Walk> {
  const walk = await probe.use(walkThrough(collection));
  return tells(walk, total) ? steadyWalk(probe, collection, needed) : endCase(NO_TOTAL);
}

function tells(walk: Walk, total: "totalItems" | "totalPages"): boolean {
  return pagesOf(walk).some(({ info }) => info?.[total] !== undefined);
}

function judgeItems(walk: Walk): Finding {
  return otherTotal(walk) ?? Finding.pass(evidenceOf(walk));
}

/**
 * For a collection that is too large to be counted, the last page shows how many items there are at most. There may be
 * fewer if pages are not full, which violates only a SHOULD.
 */
async function judgeEnd(probe: Probe, collection: Collection, walk: Walk): Promise<Finding> {
  const total = walk.window.info?.totalItems;
  if (total === undefined) return NO_TOTAL;
  const [{ pageSize }] = walk.series as [Series];
  const last = Math.max(1, Math.ceil(total / pageSize));
  const pages: (Page | undefined)[] = [];
  for (const number of [last, last + 1, last]) {
    pages.push(await readPage(probe, collection, number, pageSize));
  }
  const [end, past] = pages;
  const evidence = { probes: pages.flatMap((page) => (page ? [page.reply.exchange.id] : [])) };
  if (pages.some((page) => (page?.info?.totalItems ?? total) !== total)) {
    return Finding.inconclusive(
      phrase`\`totalItems\` changes while the last pages are read`,
      evidence,
    );
  }
  const beyond = past?.items?.length ?? 0;
  const most = (last - 1) * pageSize + (end?.items?.length ?? 0) + beyond;
  if (most === total) return Finding.pass(evidence);
  const shown = [end, past].map((page) => (page ? describePage(page) : phrase`404`));
  return {
    kind: "fail",
    expected: phrase`the last of ${counted(total)}, as \`totalItems\` says, on page ${last} of ${pageSize}`,
    actual: phrase`${listFact(shown, "; ")}`,
    evidence,
    ...(most > total && beyond === 0 && { atMost: "SHOULD" as const }),
  };
}

/** Fewer than two items are one page of any size. */
async function judgePages(probe: Probe, collection: Collection): Promise<Finding> {
  const pages = [collection.plain];
  const finding = await forAllPages(probe, collection, (page) => {
    pages.push(page);
    return lawFinding(otherPages(page), page);
  });
  if (finding.kind === "fail") return finding;
  const isTold = pages.some(({ info }) => info?.totalPages !== undefined);
  const told = pages.flatMap(({ info }) => info?.totalItems ?? []);
  if (isTold && told.some((items) => items >= TWO_PAGES)) {
    const walk = await optional(probe.use(walkThrough(collection)));
    return (walk && contradiction(walk)) ?? finding;
  }
  const walk = await tellingWalk(probe, collection, "totalPages", TWO_PAGES);
  return told.length === 0 ? judgeFilled(walk) : (contradiction(walk) ?? finding);
}

/**
 * A page of the walk whose info contradicts itself. Only a walk is sure to see a last page that is not full, and a first one
 * without a query.
 */
function contradiction(walk: Walk): Finding | undefined {
  return pagesOf(walk).map(otherPages).find(Boolean);
}

/** A bound token may see only its own organization. If the first page shows it, that is all. */
async function judgeBound(probe: Probe, collection: Collection): Promise<Finding> {
  const unlisted = await boundUnlisted(probe, collection);
  if (unlisted) return unlisted;
  const page = await ask(probe, collection, "", { fresh: true, bound: true });
  const { evidence, items, info } = page;
  const { totalItems, totalPages } = info ?? {};
  if (!isReadable(page)) return Finding.inconclusive(describePage(page), evidence);
  if (totalItems === undefined && totalPages === undefined) return NO_TOTAL;
  if (items?.length === 0 && (totalItems ?? 0) === 0 && (totalPages ?? 0) <= 1) {
    return collection.shown > 0
      ? Finding.pass(evidence)
      : tooFew(probe, collection, collection.shown, AN_ITEM);
  }
  if (items?.length !== 1) {
    const reason = phrase`bound, ${describePage(page)}: it is not the one organization that is shown`;
    return Finding.notApplicable(reason);
  }
  if ((totalItems ?? 1) === 1 && (totalPages ?? 1) === 1) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`totals of 1: a bound token is shown its own organization, and no other`,
    actual: phrase`${describePage(page)}, \`totalItems\` ${totalItems}, \`totalPages\` ${totalPages}`,
    evidence,
  };
}

/**
 * A receiver may cut the page out of the whole list, and apply the binding to what is left. Then the first page of one item
 * is empty, unless the bound organization comes first in the whole list. So two bound tokens are tried.
 */
async function judgeBoundPages(probe: Probe, collection: Collection): Promise<Finding> {
  const unlisted = await boundUnlisted(probe, collection);
  if (unlisted) return unlisted;
  const { primary, other } = await probe.organizations();
  const shown: Finding[] = [];
  for (const organization of [primary, other]) {
    if (organization === undefined) continue;
    const token = { fresh: true, bound: true, organization };
    const page = await ask(probe, collection, queryOf(1, 1), token);
    if (!isReadable(page) || !page.items) continue;
    if (page.items.length > 0) {
      shown.push(Finding.pass(page.evidence));
      continue;
    }
    const whole = await ask(probe, collection, "", token);
    if (!isReadable(whole) || whole.items?.length !== 1) continue;
    const { totalItems, totalPages } = page.info ?? {};
    return {
      kind: "fail",
      expected: phrase`1 item on page 1: without a query the list for this token shows 1 item`,
      actual: phrase`${describePage(page)}, \`totalItems\` ${totalItems}, \`totalPages\` ${totalPages}`,
      evidence: {
        ...page.evidence,
        probes: [whole, page].map(({ reply }) => reply.exchange.id),
      },
      // Without totals, it is only a page that is shorter than its pageSize and not the last.
      ...(totalItems !== 1 && totalPages !== 1 && { atMost: "SHOULD" }),
    };
  }
  const reason = phrase`the list shows no organization to a bound token`;
  return shown[0] ?? Finding.notApplicable(reason);
}

/** For answers that state only the number of pages. */
function judgeFilled(walk: Walk): Finding {
  if (!walk.whole) return Finding.notApplicable(phrase`there are too many pages to count`);
  return unfilledPages(walk) ?? Finding.pass(evidenceOf(walk));
}
