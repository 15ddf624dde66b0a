import { endCase, Finding } from "../../probe/finding.ts";
import {
  type AskOptions,
  counted,
  describePage,
  keysOn,
  type Page,
  type Source,
  surplus,
} from "../../probe/pagination/page.ts";
import {
  grantedOf,
  lengthOf,
  type Reading,
  readPage,
  sameItems,
  type Series,
  WINDOW,
} from "../../probe/pagination/reading.ts";
import { phrase } from "../../probe/phrase.ts";
import type { Probe } from "../../probe/probe.ts";
import { inOrderOf, type WalkDraw } from "./walk-draw.ts";

/** More pages of one size are not read. */
const MOST_PAGES = 6;

/** The pages of one size, and whether these are all. */
export interface ReadSeries extends Series {
  readonly complete: boolean;
}

/** What a walk read. */
export interface WalkReading extends Reading {
  readonly series: readonly ReadSeries[];
}

type Options = Pick<AskOptions, "bound" | "organization">;

/** The most requests of a walk, its steps included. */
export function mostRequests({ sizes }: WalkDraw): number {
  return 4 + sizes.length * MOST_PAGES;
}

/**
 * Reads a collection on one long page, then on short pages in the drawn order, and then on the long page again.
 * @throws CaseEnd where it shows no pages, or changes meanwhile
 */
export async function readWalk(probe: Probe, draw: WalkDraw): Promise<WalkReading> {
  const options = await optionsOf(probe, draw);
  const source = { operation: draw.operation, itemsAt: undefined };
  const window = await readWindow(probe, source, options);
  if (!isPaginated(probe, draw, window)) {
    return endCase(Finding.notApplicable(phrase`nothing shows that it is paginated`));
  }
  if (window.guessed) {
    const reason = phrase`the array that holds the items was guessed`;
    return endCase(Finding.inconclusive(reason, window.evidence));
  }
  const located = { ...source, itemsAt: window.pointer };
  const pages = await readPages(probe, located, draw, window, options);
  const after = await readWindow(probe, source, options);
  const isQuiet = sameItems(window, after) && window.info?.totalItems === after.info?.totalItems;
  if (!isQuiet) {
    const reason = phrase`${describePage(window)}, and other items a moment later: the collection changes while it is read`;
    return endCase(Finding.inconclusive(reason, window.evidence));
  }
  const whole = lengthOf(window) < grantedOf(window);
  return { window, whole, series: seriesOf(draw, pages, window, whole) };
}

async function optionsOf(probe: Probe, { bound, of }: WalkDraw): Promise<Options> {
  return {
    bound,
    ...(of === "other" && { organization: await probe.organization("other") }),
  };
}

async function readWindow(probe: Probe, source: Source, options: Options): Promise<Page> {
  // The first page always exists.
  return (await readPage(probe, source, 1, WINDOW, options)) as Page;
}

function isPaginated({ target }: Probe, { operation }: WalkDraw, { info }: Page): boolean {
  const says = info?.page !== undefined && info.pageSize !== undefined;
  return target.operations[operation]?.paginated ?? says;
}

/** A page of a walk. */
interface Read {
  readonly size: number;
  readonly number: number;
  /** Absent where there is no such page. */
  readonly page: Page | undefined;
}

async function readPages(
  probe: Probe,
  source: Source,
  { sizes, order, grows }: WalkDraw,
  window: Page,
  options: Options,
): Promise<Read[]> {
  const asked = sizes.flatMap((size) =>
    Array.from({ length: pagesFor(size, window) }, (_, at) => ({ size, number: at + 1 })),
  );
  const pages: Read[] = [];
  for (const { size, number } of inOrderOf(asked, order)) {
    pages.push({ size, number, page: await readPage(probe, source, number, size, options) });
    if (grows && pages.length === 1) await submit(probe);
  }
  return pages;
}

/** How many pages of a size show all of the window, and that nothing follows. */
function pagesFor(size: number, window: Page): number {
  const granted = Math.min(size, grantedOf(window));
  return Math.min(MOST_PAGES, Math.ceil((lengthOf(window) + 1) / granted));
}

function seriesOf(
  { sizes }: WalkDraw,
  pages: readonly Read[],
  window: Page,
  whole: boolean,
): ReadSeries[] {
  return sizes.map((pageSize) => {
    const own = pages
      .filter(({ size }) => size === pageSize)
      .toSorted((a, b) => a.number - b.number);
    const end = own.findIndex(({ page }) => page === undefined);
    const found = (end < 0 ? own : own.slice(0, end)).flatMap(({ page }) => page ?? []);
    const granted = Math.min(pageSize, ...found.map(({ info }) => info?.pageSize ?? pageSize));
    return { pageSize, pages: found, complete: whole && own.length * granted > lengthOf(window) };
  });
}

async function submit(probe: Probe): Promise<void> {
  const mutation = { name: "explored-step", what: "nothing differs" };
  await probe.tryAttempt(mutation, { operation: "submitChange", purpose: "further" });
}

/**
 * What a client sees that reads the pages of a growing feed one after another.
 * @throws CaseEnd where a page cannot be read, or the feed did not grow
 */
export async function readGrowing(probe: Probe, draw: WalkDraw): Promise<Finding> {
  const options = await optionsOf(probe, draw);
  const source = { operation: draw.operation, itemsAt: undefined };
  const before = await readWindow(probe, source, options);
  const pages = await readPages(probe, source, draw, before, options);
  const after = await readWindow(probe, source, options);
  const evidence = { probes: pages.flatMap(({ page }) => page?.reply.exchange.id ?? []) };
  const added = surplus(keysOn(after), keysOn(before)).length;
  if (added === 0) return Finding.inconclusive(phrase`the feed did not grow`, evidence);
  const [size] = draw.sizes as [number];
  const ofSize = pages.filter((one) => one.size === size);
  if (ofSize.length * size <= lengthOf(after)) {
    return Finding.inconclusive(phrase`its pages are too many to read`, evidence);
  }
  const found = ofSize.flatMap(({ page }) => (page ? keysOn(page) : []));
  const twice = surplus(found, keysOn(after)).length;
  const lost = surplus(keysOn(before), found).length;
  return Finding.observed(
    phrase`on pages of ${size}, ${counted(twice)} came twice and ${counted(lost)} never, of ${counted(lengthOf(before))} before the submission`,
    evidence,
  );
}
