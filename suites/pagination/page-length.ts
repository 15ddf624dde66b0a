import { Finding, optional } from "../../src/probe/finding.ts";
import { lawFinding, tooLong, tooShort } from "../../src/probe/pagination/laws.ts";
import { describePage, type Page } from "../../src/probe/pagination/page.ts";
import { evidenceOf, noItems } from "../../src/probe/pagination/reading.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, type CollectionJudge, onSettled } from "../shared/collection.ts";
import { forAllPages } from "./pages/in-bounds.ts";
import { forDenied } from "./pages/of-denied.ts";
import { tooFew, TWO_PAGES } from "./pages/too-few.ts";
import { itemsOn, steadyWalk, type Walk, walkThrough } from "./pages/walk.ts";

const cases: readonly CollectionJudge[] = [
  { id: "at-most", title: "no page has more items than its `pageSize`", judge: atMost },
  {
    id: "full",
    title: "only the last page has fewer",
    grounds: { source: "contract, PaginatedResultsInfo; OctopusDeploy/Issues#9230" },
    level: "SHOULD",
    judge: async (probe, collection) => judgeFull(await steadyWalk(probe, collection, TWO_PAGES)),
  },
];

const ofDenied: Parameters<typeof forDenied>[0] = [
  {
    id: "denied-at-most",
    title: (what) =>
      `no page of ${what} for the denied subject has more items than its \`pageSize\``,
    needed: TWO_PAGES,
    judge: (walk, _probe, collection) =>
      tooLongIn(collection, walk) ?? Finding.pass(evidenceOf(walk)),
  },
  {
    id: "denied-full",
    title: (what) => `only the last page of ${what} for the denied subject has fewer`,
    level: "SHOULD",
    needed: TWO_PAGES,
    judge: judgeFull,
  },
];

export const rule: Rule = defineRule({
  id: "pagination.page-length",
  title: "No page is longer than its `pageSize`, and only the last is shorter",
  level: "MUST",
  verifies: ["models.info.page-size", "models.query.page-size.meaning"],
  phase: "state",
  dependsOn: ["pagination.results-info/page", "pagination.echo"],
  cases: () => [...onSettled(cases), ...forDenied(ofDenied)],
});

/** With fewer than two items no page can be too long. */
async function atMost(probe: Probe, collection: Collection): Promise<Finding> {
  const walk = await optional(probe.use(walkThrough(collection)));
  const violation = walk && tooLongIn(collection, walk);
  if (violation) return violation;
  const finding = await forAllPages(probe, collection, (page, [, asked]) =>
    judgeLength(collection, page, asked),
  );
  const items = Math.max(collection.shown, walk ? itemsOn(walk) : 0);
  return finding.kind === "pass" && items < TWO_PAGES
    ? tooFew(probe, collection, items, TWO_PAGES)
    : finding;
}

/** The violation of a page of the walk that is too long. */
function tooLongIn(collection: Collection, { series }: Walk): Finding | undefined {
  return series
    .flatMap(({ pages, pageSize }) => pages.map((page) => judgeLength(collection, page, pageSize)))
    .find(({ kind }) => kind === "fail");
}

function judgeLength(collection: Collection, page: Page, asked: number): Finding {
  const { items, evidence } = page;
  if (!items)
    return Finding.inconclusive(phrase`${describePage(page)}${noItems(collection)}`, evidence);
  return lawFinding(tooLong(page, [1, asked]), page);
}

function judgeFull(walk: Walk): Finding {
  return tooShort(walk) ?? Finding.pass(evidenceOf(walk));
}
