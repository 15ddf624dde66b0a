import { endCase, Finding, optional, together } from "../../../src/probe/finding.ts";
import { ask, describePage, nameOf, type Page } from "../../../src/probe/pagination/page.ts";
import {
  type Beginning,
  evidenceOf,
  grantedOf,
  lengthOf,
  pagesOf,
  type Reading,
  readPage,
  sameItems,
  type Series,
  WINDOW,
} from "../../../src/probe/pagination/reading.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { reception } from "../../../src/probe/reception.ts";
import type { Collection } from "../../shared/collection.ts";
import { tooFew } from "./too-few.ts";

/** The beginning of a collection, read on one long page and again on short pages. */
export interface Walk extends Reading {
  /** The answer without a query. */
  readonly plain: Page;
  /** Of two page sizes if possible; beyond the end of a whole collection, otherwise within the window. */
  readonly series: readonly Series[];
  /** The window, read again after the pages. */
  readonly after: Page;
  /** Whether the window was the same before and after. Only then can it be compared with the pages. */
  readonly quiet: boolean;
}

/** More items are not read one by one. */
const MOST_SINGLES = 20;
/** With fewer items pages show hardly anything. */
const FEW = 3;

/**
 * A walk through a collection. If the feed has too few items and the profile consents to writes, up to three changes are
 * submitted first.
 */
export function walkThrough(collection: Collection): Fixture<Walk> {
  return {
    name: `walk through ${nameOf(collection)}`,
    scope: "run",
    async setup(probe): Promise<Walk> {
      const first = await quietWalk(probe, collection);
      const isFew = lengthOf(first.window) < FEW;
      if (!isFew || !(await submitSome(probe, collection))) return first;
      await probe.eventually(
        () => optional(readPage(probe, collection, 1, FEW)),
        (page) => !page || lengthOf(page) >= FEW,
      );
      return quietWalk(probe, collection);
    },
  };
}

/**
 * A walk through a collection that has enough items and does not change meanwhile.
 * @param needed the number of items without which nothing can be concluded
 * @throws CaseEnd if there are fewer, or the collection changes
 */
export async function steadyWalk(
  probe: Probe,
  collection: Collection,
  needed: number,
): Promise<Walk> {
  const walk = await probe.use(walkThrough(collection));
  if (!walk.quiet) {
    const reason = phrase`${describePage(walk.window)}, and other items a moment later: the collection changes while it is read`;
    return endCase(Finding.inconclusive(reason, evidenceOf(walk)));
  }
  const items = itemsOn(walk);
  return items < needed ? endCase(await tooFew(probe, collection, items, needed)) : walk;
}

/** How many items a walk has read, in its window or on the pages of one size; one more if others follow. */
export function itemsOn({ window, whole, series }: Walk): number {
  const onPages = series.map(({ pages }) => pages.reduce((sum, page) => sum + lengthOf(page), 0));
  return Math.max(lengthOf(window), ...onPages) + (whole ? 0 : 1);
}

/**
 * Walks until the collection is quiet. A recent write may show in one answer and not in the next one. Totals that still
 * differ when every write has to show are judged as they are.
 */
function quietWalk(probe: Probe, collection: Collection): Promise<Walk> {
  return probe.eventually(
    () => walkOnce(probe, collection),
    (walk) => walk.quiet && (tellOneTotal(walk) || !probe.mayMissWrites(evidenceOf(walk))),
  );
}

function tellOneTotal(walk: Walk): boolean {
  return new Set(pagesOf(walk).flatMap(({ info }) => info?.totalItems ?? [])).size <= 1;
}

/**
 * Another walk, with each item on a page of its own if they are few, or else with the sizes of the first one.
 * @returns `undefined` if anything in the window has changed meanwhile, also within the items
 */
export async function walkAgain(
  probe: Probe,
  collection: Collection,
  { window, whole }: Walk,
): Promise<Walk | undefined> {
  const isShort = whole && lengthOf(window) <= MOST_SINGLES;
  const walk = await walkOnce(probe, collection, isShort ? [1] : undefined);
  const isSame = walk.quiet && contentOf(walk.window) === contentOf(walk.after);
  return isSame ? walk : undefined;
}

/** The strings and numbers of an answer in an order of their own. A part of an answer is like no other. */
function contentOf({ reply }: Page): string | symbol {
  const { response } = reply.exchange;
  if (!response || response.truncated) return Symbol("unknown");
  return (response.body.match(/"(?:[^"\\]|\\.)*"|[\w.+-]+/g) ?? []).toSorted().join(" ");
}

async function walkOnce(
  probe: Probe,
  collection: Collection,
  wanted?: readonly number[],
): Promise<Walk> {
  const [{ window, whole }, plain] = await together([
    readBeginning(probe, collection),
    ask(probe, collection, "", { fresh: true }),
  ]);
  const sizes = wanted ?? (whole ? sizesFor(lengthOf(window), probe.seed) : partsOf(window));
  const series = await together(
    sizes.map((pageSize) => {
      if (!whole) {
        const within = Math.floor(grantedOf(window) / pageSize);
        return readSeries(probe, collection, pageSize, within, within);
      }
      const enough = Math.ceil((lengthOf(window) + 1) / pageSize);
      return readSeries(probe, collection, pageSize, enough, enough + 1);
    }),
  );
  const after = await readWindow(probe, collection);
  const quiet = sameItems(window, after) && window.info?.totalItems === after.info?.totalItems;
  return { window, plain, whole, series, after, quiet };
}

/** Reads the first window, and the next one to know whether anything follows. */
export async function readBeginning(probe: Probe, collection: Collection): Promise<Beginning> {
  const [window, next] = await together([
    readWindow(probe, collection),
    readPage(probe, collection, 2, WINDOW),
  ]);
  return { window, whole: lengthOf(next) === 0 };
}

/** Reads the first page, which always exists. */
export async function readWindow(probe: Probe, collection: Collection): Promise<Page> {
  return (await readPage(probe, collection, 1, WINDOW)) as Page;
}

/**
 * Page sizes that divide the items into a few pages: one that leaves a remainder and one that leaves none, if there are
 * such sizes. Three items or more have three pages of one size, because the first and the last page alone may look right. The remainder is less than half a page if possible, because a receiver that rounds the number of pages, and
 * does not round it up, is right about any other.
 */
function sizesFor(items: number, seed: number): number[] {
  const least = Math.max(1, Math.ceil(items / 6));
  const most = Math.max(1, Math.ceil(items / 2) - 1);
  const sizes = Array.from({ length: Math.min(most - least + 1, 20) }, (_, index) => least + index);
  // Few items leave a small remainder only on pages that hold nearly all of them.
  const isSmall = (size: number): boolean => items % size > 0 && 2 * (items % size) < size;
  const small = sizes.some(isSmall) ? sizes.filter(isSmall) : [items - 1].filter(isSmall);
  const pick = (from: readonly number[]): number[] =>
    from.length === 0 ? [] : [from[Math.abs(seed) % from.length] as number];
  return [
    ...pick(small.length > 0 ? small : sizes.filter((size) => items % size > 0)),
    ...pick(sizes.filter((size) => items % size === 0)),
  ];
}

/** Two page sizes that divide a full window into five pages and into four, perhaps with a remainder. */
function partsOf(window: Page): number[] {
  const sizes = [5, 4].map((parts) => Math.max(1, Math.floor(grantedOf(window) / parts)));
  return [...new Set(sizes)];
}

/**
 * Reads the pages of one size, all at once.
 * @param enough the pages that belong to the series in any case
 * @param most the pages that are read; those after `enough` belong to it only as long as the page before has items
 */
async function readSeries(
  probe: Probe,
  collection: Collection,
  pageSize: number,
  enough: number,
  most: number,
): Promise<Series> {
  const pages: Page[] = [];
  const reads = Array.from({ length: most }, (_, index) =>
    readPage(probe, collection, index + 1, pageSize),
  );
  await Promise.allSettled(reads);
  for (const [at, one] of reads.entries()) {
    if (at >= enough && lengthOf(pages.at(-1)) === 0) break;
    const page = await one;
    // After a page that was answered 404 there is no other, whatever the next one is answered.
    if (!page) break;
    pages.push(page);
  }
  return { pageSize, pages };
}

/** Submits changes so that the feed has pages; returns whether any was accepted. */
async function submitSome(probe: Probe, { operation, as }: Collection): Promise<boolean> {
  const { writes, operations } = probe.target;
  if (operation !== "readChangesFeed" || as || !writes || !operations.submitChange) return false;
  // When a violation is confirmed, the first try has submitted them already.
  if (probe.confirming) return false;
  const change = { name: "more-changes", what: "nothing differs" };
  const options = { operation: "submitChange", purpose: "wanted" } as const;
  for (let accepted = 0; accepted < FEW; accepted++) {
    const attempt = await optional(probe.attempt(change, options));
    if (!attempt || reception(attempt.reply) !== "accepted") return accepted > 0;
  }
  return true;
}
