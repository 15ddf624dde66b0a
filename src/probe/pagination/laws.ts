import { Finding, type FindingOf } from "../finding.ts";
import { phrase } from "../phrase.ts";
import {
  type Asked,
  counted,
  describePage,
  keysOn,
  MOST_KEYS,
  type Page,
  surplus,
} from "./page.ts";
import { evidenceOf, grantedOf, pagesOf, type Reading } from "./reading.ts";

/** What the contract says of pages, each as a function that finds a violation in pages that were read. */

export type Violation = FindingOf<"fail">;

/** The info names the page that was asked for. */
export function otherNumber(page: Page, [asked]: Asked): Violation | undefined {
  const number = page.info?.page;
  if (number === undefined || number === asked) return undefined;
  return ofPage(page, phrase`page ${asked} in the info`, phrase`page ${number}`);
}

/** The info names no larger size than the one that was asked for. */
export function largerSize(page: Page, [, asked]: Asked): Violation | undefined {
  const size = page.info?.pageSize;
  if (size === undefined || size <= asked) return undefined;
  return ofPage(page, phrase`\`pageSize\` ${asked} in the info`, phrase`pageSize ${size}`);
}

function ofPage(page: Page, expected: Violation["expected"], told: Violation["actual"]): Violation {
  const actual = phrase`${describePage(page)}, ${told}`;
  return { kind: "fail", expected, actual, evidence: page.evidence };
}

/** No page has more items than its size. */
export function tooLong(page: Page, [, asked]: Asked): Violation | undefined {
  const { items, info, evidence } = page;
  const most = Math.min(asked, info?.pageSize ?? asked);
  if (!items || items.length <= most) return undefined;
  return {
    kind: "fail",
    expected: phrase`at most ${counted(most)}, its \`pageSize\``,
    actual: describePage(page),
    evidence,
  };
}

/** Only the last page has fewer. Of two equal pages neither is the later one; another law is about repeated pages. */
export function tooShort(reading: Reading): Violation | undefined {
  for (const { pages, pageSize } of reading.series) {
    const last = lastWithNew(pages.map(keysOn));
    const short = pages.find(
      ({ items, info }, index) =>
        index < last && (items?.length ?? 0) < Math.min(pageSize, info?.pageSize ?? pageSize),
    );
    if (!short) continue;
    return {
      kind: "fail",
      expected: phrase`${counted(pageSize)}, because a later page has further ones`,
      actual: describePage(short),
      evidence: evidenceOf(reading),
    };
  }
  return undefined;
}

/** The index of the last page with an item that no earlier page shows; -1 if there is none. */
function lastWithNew(pages: readonly (readonly string[])[]): number {
  const shown = new Set<string>();
  return pages.reduce((last, keys, index) => {
    const before = shown.size;
    for (const key of keys) shown.add(key);
    return shown.size > before ? index : last;
  }, -1);
}

/** The pages of one size hold every item of the window once. */
export function otherItems(reading: Reading): Violation | undefined {
  const { window, whole, series } = reading;
  for (const { pageSize, pages } of series) {
    const found = pages.flatMap(keysOn);
    const inWindow = keysOn(window);
    // If the window is not full, it is unknown how far into it the pages go.
    const granted = grantedOf(window);
    const covered = inWindow.length < granted ? found.length : granted - (granted % pageSize);
    const shown = whole ? inWindow : inWindow.slice(0, covered);
    const violation = differingItems(
      shown,
      found,
      phrase`pages of ${pageSize}`,
      describePage(window),
    );
    if (violation) return { ...violation, evidence: evidenceOf(reading) };
  }
  return undefined;
}

/**
 * Compares items that are shown with those that are found elsewhere.
 * @param where they are found, as a phrase such as "pages of 3"
 * @param beside where they are shown
 */
export function differingItems(
  shown: readonly string[],
  found: readonly string[],
  where: Violation["expected"],
  beside: Violation["expected"],
): Violation | undefined {
  const [more, lost] = [surplus(found, shown).length, surplus(shown, found).length];
  if (more + lost === 0) return undefined;
  // Of a page that is longer than requested, not all keys are kept.
  const atLeast = Math.max(found.length, shown.length) < MOST_KEYS ? "" : "at least ";
  return {
    kind: "fail",
    expected: phrase`${where} hold each of these items once, and no others`,
    actual: phrase`${beside}; on ${where} ${atLeast}${counted(more)} too many, ${counted(lost)} missing`,
  };
}

/** The items come in the same order whatever the size. Those that an object holds by their ids have none. */
export function otherOrder(reading: Reading): Violation | undefined {
  const { window, whole, series } = reading;
  const inOrder = keysOn(window);
  if (window.keyed) return undefined;
  for (const { pageSize, pages } of series) {
    const found = pages.flatMap(keysOn);
    const length = whole ? Math.max(found.length, inOrder.length) : found.length;
    const at = Array.from({ length }).findIndex((_, index) => found[index] !== inOrder[index]);
    if (at < 0) continue;
    return {
      kind: "fail",
      expected: phrase`the items of ${describePage(window)} in the same order on pages of ${pageSize}`,
      actual: phrase`item ${at + 1} of them is another one`,
      evidence: evidenceOf(reading),
    };
  }
  return undefined;
}

/** Every page of a whole collection that states the number of all items states the right one, also the page beyond the end. */
export function otherTotal(reading: Reading): Violation | undefined {
  const { window } = reading;
  const items = window.items?.length ?? 0;
  const wrong = pagesOf(reading).find(({ info }) => (info?.totalItems ?? items) !== items);
  if (!wrong) return undefined;
  return {
    kind: "fail",
    expected: phrase`\`totalItems\` ${items}, as many as there are on all pages`,
    actual: phrase`${describePage(wrong)}, \`totalItems\` ${wrong.info?.totalItems}`,
    evidence: {
      probes: [wrong, window].map(({ reply }) => reply.exchange.id),
      controls: wrong.evidence.controls ?? [],
    },
  };
}

/** The totals of a page agree with each other. Without items there are no pages, though a deployment may count the empty page. */
export function otherPages(page: Page): Violation | undefined {
  const { info, evidence } = page;
  const { totalItems, totalPages, pageSize } = info ?? {};
  if (totalItems === undefined || totalPages === undefined || pageSize === undefined) {
    return undefined;
  }
  const filled = Math.ceil(totalItems / pageSize);
  if (totalPages === filled || (totalItems === 0 && totalPages === 1)) return undefined;
  return {
    kind: "fail",
    expected: phrase`\`totalPages\` ${filled}: ${counted(totalItems)} on pages of ${pageSize}`,
    actual: phrase`${describePage(page)}, \`pageSize\` ${pageSize}, \`totalPages\` ${totalPages}`,
    evidence,
  };
}

/** A page that states only the number of pages states how many of a whole collection have items. */
export function unfilledPages(reading: Reading): Violation | undefined {
  for (const { pages } of reading.series) {
    const filled = pages.findLastIndex(({ items }) => (items?.length ?? 0) > 0) + 1;
    const wrong = pages.find(
      ({ info }) => info?.totalPages !== undefined && info.totalPages !== filled,
    );
    if (!wrong) continue;
    return {
      kind: "fail",
      expected: phrase`\`totalPages\` ${filled}, as many as have items`,
      actual: phrase`${describePage(wrong)}, \`totalPages\` ${wrong.info?.totalPages}`,
      evidence: evidenceOf(reading),
    };
  }
  return undefined;
}

/** The finding of a law: a violation, or else that it holds. */
export function lawFinding(violation: Violation | undefined, { evidence }: Page): Finding {
  return violation ?? Finding.pass(evidence);
}
