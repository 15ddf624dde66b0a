import { endCase, type Evidence, Finding } from "../finding.ts";
import { phrase } from "../phrase.ts";
import type { Probe } from "../probe.ts";
import {
  ask,
  type AskOptions,
  describePage,
  isReadable,
  keysOn,
  type Page,
  queryOf,
  type Source,
  surplus,
} from "./page.ts";

/** Consecutive pages of one size, from the first page on. */
export interface Series {
  readonly pageSize: number;
  /** Pages that were answered 404 are left out. */
  readonly pages: readonly Page[];
}

/** The beginning of a collection, on one long page. */
export interface Beginning {
  /** The first page of a hundred items, or of as many as the deployment gives. */
  readonly window: Page;
  /** True when nothing follows the window: it holds the whole collection. */
  readonly whole: boolean;
}

/** The beginning of a collection, read on one long page and again on short pages. */
export interface Reading extends Beginning {
  /** The answer without a query. Absent where it was not read. */
  readonly plain?: Page | undefined;
  readonly series: readonly Series[];
}

/** How many items of a collection are read, however large it is. */
export const WINDOW = 100;

/** The first window of a reading, the answer without a query, and the pages of each size. */
export function pagesOf({ window, plain, series }: Reading): Page[] {
  return [window, ...(plain ? [plain] : []), ...series.flatMap(({ pages }) => pages)];
}

/** The evidence of a finding about a reading. */
export function evidenceOf(reading: Reading): Evidence {
  return {
    probes: pagesOf(reading).map(({ reply }) => reply.exchange.id),
    controls: reading.window.evidence.controls,
  };
}

/** Whether two pages show the same items, in any order. */
export function sameItems(a: Page, b: Page): boolean {
  const [those, these] = [keysOn(a), keysOn(b)];
  return those.length === these.length && surplus(those, these).length === 0;
}

/** The most items that a window has: a deployment may give fewer than requested, and say so. */
export function grantedOf({ info }: Page): number {
  return Math.min(WINDOW, info?.pageSize ?? WINDOW);
}

/** How many items a page shows. */
export function lengthOf(page: Page | undefined): number {
  return page?.items?.length ?? 0;
}

/**
 * Reads one page again.
 * @param options see `ask`
 * @returns `undefined` if there is no such page, which a deployment may answer with 404
 * @throws CaseEnd if the answer shows no page
 */
export async function readPage(
  probe: Probe,
  collection: Source,
  page: number,
  pageSize: number,
  options: Omit<AskOptions, "fresh"> = {},
): Promise<Page | undefined> {
  const read = await ask(probe, collection, queryOf(page, pageSize), { ...options, fresh: true });
  const { reply, evidence, items } = read;
  if (reply.status === 404 && page > 1) return undefined;
  if (isReadable(read) && items) return read;
  const reason = phrase`${describePage(read)}${isReadable(read) ? noItems(collection) : ""}`;
  return endCase(Finding.inconclusive(reason, evidence));
}

/** What a person can do if no array of items is recognised in an answer. */
export function noItems({ operation }: Pick<Source, "operation">): string {
  return `; no array of items can be recognised, the profile may say where it is: \`operations.${operation}.items\``;
}
