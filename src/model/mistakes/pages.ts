/** A page of a list that was asked for, and what was answered. */
export interface AskedPage {
  readonly page: number;
  readonly pageSize: number;
  /** Which of the two the request named. */
  readonly given: { readonly page: boolean; readonly pageSize: boolean };
  /** Every item of the list, in its order. */
  readonly list: readonly string[];
  /** The items that the page shows. */
  readonly items: readonly string[];
  /** The numbers that the page states, where they are integers. */
  readonly info: Readonly<Partial<Record<InfoMember, number>>>;
}

export type InfoMember = "page" | "pageSize" | "totalItems" | "totalPages";
/** What of a page may be wrong. */
export type PageMember = "items" | InfoMember;

/** A receiver that makes one part of its pages wrongly. Where the reference receiver has the same fault, it has the same name. */
export interface PageMistake {
  readonly fault: string;
  readonly member: PageMember;
  readonly behaves: string;
  readonly look: string;
  /** What such a receiver answers in place of the right one: a number, or for `items` the items. */
  readonly answers: (asked: AskedPage) => number | readonly string[];
}

const DEFAULT_SIZE = 100;

/** The answers to a page that the contract allows (PaginatedResultsInfo). */
export function isRightPage(member: PageMember, asked: AskedPage): boolean {
  const { page, pageSize, list, items, info } = asked;
  const { totalItems: total = list.length, pageSize: granted = pageSize } = info;
  switch (member) {
    case "items":
      return [pageSize, Math.min(granted, pageSize)].some((size) =>
        isSame(windowOf(list, (page - 1) * size, size), items),
      );
    case "page":
      return info.page === undefined || info.page === page;
    case "pageSize":
      return info.pageSize === undefined || info.pageSize === pageSize;
    case "totalItems":
      return info.totalItems === undefined || info.totalItems === list.length;
    case "totalPages":
      return (
        info.totalPages === undefined ||
        [pageSize, granted].some((size) =>
          [total, list.length].some(
            (all) =>
              info.totalPages === Math.ceil(all / Math.max(size, 1)) ||
              (all === 0 && info.totalPages === 1),
          ),
        )
      );
  }
}

/** Whether a receiver with a mistake answers a page as it was answered. */
export function isMistakenPage({ member, answers }: PageMistake, asked: AskedPage): boolean {
  const wrong = answers(asked);
  return typeof wrong === "number"
    ? member !== "items" && asked.info[member] === wrong
    : isSame(wrong, asked.items);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

function windowOf(list: readonly string[], start: number, length: number): readonly string[] {
  return start < 0 ? [] : list.slice(start, start + length);
}

function lastPage({ list, pageSize }: AskedPage): number {
  return Math.max(1, Math.ceil(list.length / pageSize));
}

/** Where a page begins, and how long it is. */
function shows(
  fault: string,
  behaves: string,
  look: string,
  span: (asked: AskedPage) => readonly [start: number, length: number],
): PageMistake {
  const answers: PageMistake["answers"] = (asked) => windowOf(asked.list, ...span(asked));
  return { fault, member: "items", behaves, look, answers };
}

function orders(
  fault: string,
  behaves: string,
  look: string,
  answers: (asked: AskedPage) => readonly string[],
): PageMistake {
  return { fault, member: "items", behaves, look, answers };
}

function states(
  member: InfoMember,
  fault: string,
  behaves: string,
  look: string,
  answers: (asked: AskedPage) => number,
): PageMistake {
  return { fault, member, behaves, look, answers };
}

function right({ page, pageSize, list }: AskedPage): readonly string[] {
  return windowOf(list, (page - 1) * pageSize, pageSize);
}

const OFFSET = "Look at how the offset is computed: it is (page - 1) × `pageSize`.";
const LENGTH = "Look at the limit of the query, or the end of the slice.";
const SIZES = [1, 5, 10, 15, 20, 25, 30, 50, 200, 500, 1000];

/** Wrong items on a page. The plainer ones come first. */
const ITEMS: readonly PageMistake[] = [
  shows("page-ignored", "shows the first page for every page", OFFSET, ({ pageSize }) => [
    0,
    pageSize,
  ]),
  shows(
    "page-size-ignored",
    "puts all items on every page, whatever its `pageSize`",
    LENGTH,
    ({ list }) => [0, list.length],
  ),
  shows(
    "page-size-ignored-after-offset",
    "shows all items from the beginning of the page on, whatever its `pageSize`",
    LENGTH,
    ({ page, pageSize, list }) => [(page - 1) * pageSize, list.length],
  ),
  shows(
    "offset-by-page-alone",
    "begins each page one item after the beginning of the one before: the offset is page - 1",
    OFFSET,
    ({ page, pageSize }) => [page - 1, pageSize],
  ),
  shows(
    "rest-by-page-alone",
    "begins each page one item after the beginning of the one before, and shows all that follows",
    OFFSET,
    ({ page, list }) => [page - 1, list.length],
  ),
  shows("offset-is-page", "takes `page` for the offset", OFFSET, ({ page, pageSize }) => [
    page,
    pageSize,
  ]),
  shows(
    "pages-from-the-second",
    "begins page 1 where page 2 should begin",
    `The pages are counted from 0. ${OFFSET}`,
    ({ page, pageSize }) => [page * pageSize, pageSize],
  ),
  shows(
    "offset-by-default-size",
    "computes where a page begins with a `pageSize` of 100, whatever was asked for",
    OFFSET,
    ({ page, pageSize }) => [(page - 1) * DEFAULT_SIZE, pageSize],
  ),
  shows(
    "pages-overlap",
    "begins every page with the last item of the previous one",
    OFFSET,
    ({ page, pageSize }) => [Math.max(0, (page - 1) * pageSize - (page > 1 ? 1 : 0)), pageSize],
  ),
  shows(
    "pages-overlap-more",
    "begins each page one item too early for every page before it, as if pages were one item shorter",
    OFFSET,
    ({ page, pageSize }) => [(page - 1) * (pageSize - 1), pageSize],
  ),
  shows("pages-skip", "omits an item between pages", OFFSET, ({ page, pageSize }) => [
    (page - 1) * (pageSize + 1),
    pageSize,
  ]),
  shows("pages-skip-one", "omits an item before the second page", OFFSET, ({ page, pageSize }) => [
    (page - 1) * pageSize + (page > 1 ? 1 : 0),
    pageSize,
  ]),
  shows(
    "first-item-lost",
    "begins every page one item too late, so that the first item is on no page",
    OFFSET,
    ({ page, pageSize }) => [(page - 1) * pageSize + 1, pageSize],
  ),
  shows(
    "page-one-too-long",
    "puts one item more than `pageSize` on a page",
    LENGTH,
    ({ page, pageSize }) => [(page - 1) * pageSize, pageSize + 1],
  ),
  shows(
    "page-one-too-short",
    "puts one item fewer than `pageSize` on a page: its last one is missing",
    LENGTH,
    ({ page, pageSize }) => [(page - 1) * pageSize, pageSize - 1],
  ),
  orders(
    "last-item-of-page-lost",
    "omits the last item of every page, also where the page is not full",
    LENGTH,
    (asked) => right(asked).slice(0, -1),
  ),
  orders("first-item-of-page-lost", "omits the first item of every page", OFFSET, (asked) =>
    right(asked).slice(1),
  ),
  shows(
    "last-page-repeated",
    "shows the items of the last page on every later one",
    "The page is cut down to the last one in place of showing an empty page.",
    (asked) => [(Math.min(asked.page, lastPage(asked)) - 1) * asked.pageSize, asked.pageSize],
  ),
  shows(
    "first-page-beyond-the-end",
    "shows the first page for every page beyond the end",
    "A page beyond the end is taken for an invalid one, and the first is shown in its place.",
    (asked) => [
      asked.page > lastPage(asked) ? 0 : (asked.page - 1) * asked.pageSize,
      asked.pageSize,
    ],
  ),
  orders(
    "last-page-lost",
    "leaves the last page empty unless it is full",
    "The number of pages is rounded down, or a page is shown only if it is full.",
    (asked) => {
      const own = right(asked);
      return own.length < asked.pageSize ? [] : own;
    },
  ),
  orders(
    "page-reversed",
    "turns the order of the items on each page around",
    "The items are sorted after the page was cut out.",
    (asked) => right(asked).toReversed(),
  ),
  orders(
    "pages-from-the-end",
    "counts pages from the end of the list",
    "The list is sorted the other way round for pages.",
    ({ list, page, pageSize }) => windowOf(list.toReversed(), (page - 1) * pageSize, pageSize),
  ),
  orders(
    "page-sorted",
    "sorts the items of each page by themselves",
    "The items are sorted after the page was cut out.",
    (asked) => right(asked).toSorted(),
  ),
  ...SIZES.map((cap) =>
    shows(
      "page-size-capped",
      `never shows more than ${cap} items on a page`,
      "A maximum of its own, which it does not state as `pageSize`, cuts the page short.",
      ({ page, pageSize }) => [(page - 1) * pageSize, Math.min(pageSize, cap)],
    ),
  ),
  ...SIZES.map((size) =>
    shows(
      "page-size-fixed",
      `makes pages of ${size} items, whatever \`pageSize\` asks for`,
      LENGTH,
      ({ page }) => [(page - 1) * size, size],
    ),
  ),
];

const INFO = "Look at how PaginatedResultsInfo is filled.";

/** Wrong numbers in PaginatedResultsInfo. */
const NUMBERS: readonly PageMistake[] = [
  states(
    "page",
    "info-page-always-1",
    "always states page 1 in PaginatedResultsInfo",
    INFO,
    () => 1,
  ),
  states(
    "page",
    "info-counts-from-zero",
    "counts page in PaginatedResultsInfo from 0",
    INFO,
    ({ page }) => page - 1,
  ),
  states(
    "page",
    "info-page-one-more",
    "states the number of the next page as `page`",
    INFO,
    ({ page }) => page + 1,
  ),
  states(
    "page",
    "info-page-clamped",
    "states the number of the last page for every page beyond the end",
    INFO,
    (asked) => Math.min(asked.page, lastPage(asked)),
  ),
  states(
    "page",
    "info-page-is-offset",
    "states the offset of the page as `page`",
    INFO,
    ({ page, pageSize }) => (page - 1) * pageSize,
  ),
  states(
    "page",
    "info-page-is-size",
    "states the `pageSize` as `page`",
    "Two members of PaginatedResultsInfo are mixed up.",
    ({ pageSize }) => pageSize,
  ),
  states(
    "pageSize",
    "info-page-size-of-page",
    "states the number of the page's items as `pageSize`",
    INFO,
    ({ items }) => items.length,
  ),
  states(
    "pageSize",
    "info-page-size-of-page-or-asked",
    "states the number of the page's items as `pageSize`, unless the page is empty",
    INFO,
    ({ items, pageSize }) => items.length || pageSize,
  ),
  states(
    "pageSize",
    "info-page-size-at-most-all",
    "states a `pageSize` of no more than the number of all items",
    INFO,
    ({ list, pageSize }) => Math.min(list.length, pageSize),
  ),
  states(
    "pageSize",
    "info-page-size-default",
    "always states `pageSize` 100 in PaginatedResultsInfo",
    INFO,
    () => DEFAULT_SIZE,
  ),
  states(
    "pageSize",
    "info-page-size-is-total",
    "states the number of all items as `pageSize`",
    INFO,
    ({ list }) => list.length,
  ),
  states(
    "pageSize",
    "info-page-size-is-page",
    "states the page as `pageSize`",
    "Two members of PaginatedResultsInfo are mixed up.",
    ({ page }) => page,
  ),
  ...SIZES.map((size) =>
    states(
      "pageSize",
      "info-page-size-capped",
      `states a \`pageSize\` of at most ${size}`,
      "A maximum of its own takes the place of what was asked for.",
      ({ pageSize }) => Math.min(pageSize, size),
    ),
  ),
  ...SIZES.map((size) =>
    states(
      "pageSize",
      size === 20 ? "default-page-size-20" : "default-page-size-other",
      `has a default \`pageSize\` of ${size}, other than 100`,
      "The default of the framework, or of its own, takes the place of the contract's.",
      ({ given, pageSize }) => (given.pageSize ? pageSize : size),
    ),
  ),
  states(
    "totalItems",
    "total-items-of-page",
    "counts the items of the page in `totalItems`",
    "The length of the page is taken for the length of the list.",
    ({ items }) => items.length,
  ),
  states(
    "totalItems",
    "total-items-so-far",
    "counts in `totalItems` only the items up to the end of the page",
    "The total is the offset plus the length of the page, or the query that counts has a limit.",
    ({ list, page, pageSize }) => Math.min(list.length, page * pageSize),
  ),
  states(
    "totalItems",
    "total-items-offset-and-page",
    "states the offset plus the number of the page's items as `totalItems`",
    "The total is computed from the page, and not counted.",
    ({ items, page, pageSize }) => (page - 1) * pageSize + items.length,
  ),
  states(
    "totalItems",
    "total-items-left",
    "counts in `totalItems` only the items from the beginning of the page on",
    "The query that counts has an offset.",
    ({ list, page, pageSize }) => Math.max(0, list.length - (page - 1) * pageSize),
  ),
  states(
    "totalItems",
    "total-items-after",
    "counts in `totalItems` only the items after the page",
    "The query that counts has an offset.",
    ({ list, page, pageSize }) => Math.max(0, list.length - page * pageSize),
  ),
  states(
    "totalItems",
    "total-items-one-more",
    "counts one item too many in `totalItems`",
    INFO,
    ({ list }) => list.length + 1,
  ),
  states(
    "totalItems",
    "total-items-one-fewer",
    "counts one item too few in `totalItems`",
    "The total is the index of the last item.",
    ({ list }) => list.length - 1,
  ),
  states(
    "totalItems",
    "total-items-is-page-size",
    "states the `pageSize` as `totalItems`",
    INFO,
    ({ pageSize }) => pageSize,
  ),
  states(
    "totalItems",
    "total-items-is-pages",
    "states the number of pages as `totalItems`",
    "Two members of PaginatedResultsInfo are mixed up.",
    ({ list, pageSize }) => Math.ceil(list.length / pageSize),
  ),
  states(
    "totalItems",
    "total-items-pages-filled",
    "states `pageSize` times the number of pages as `totalItems`",
    "The total is computed from the number of pages.",
    ({ list, pageSize }) => Math.ceil(list.length / pageSize) * pageSize,
  ),
  states(
    "totalItems",
    "total-zero-beyond-the-end",
    "states totals of 0 beyond the end",
    "The total comes with the rows of the page, as in `count(*) over ()`, and an empty page has none.",
    ({ list, items }) => (items.length === 0 ? 0 : list.length),
  ),
  states("totalItems", "total-items-zero", "always states 0 as `totalItems`", INFO, () => 0),
  states(
    "totalPages",
    "total-pages-floor",
    "rounds `totalPages` down",
    "Integers are divided, which drops what is left over. Round up.",
    ({ list, pageSize }) => Math.floor(list.length / pageSize),
  ),
  states(
    "totalPages",
    "total-pages-floor-at-least-one",
    "rounds `totalPages` down, to 1 at least",
    "Integers are divided, which drops what is left over. Round up.",
    ({ list, pageSize }) => Math.max(1, Math.floor(list.length / pageSize)),
  ),
  states(
    "totalPages",
    "total-pages-one-more",
    "counts one page too many in `totalPages` if the last one is full",
    "The code rounds down and adds one. Round up.",
    ({ list, pageSize }) => Math.floor(list.length / pageSize) + 1,
  ),
  states(
    "totalPages",
    "total-pages-rounded",
    "rounds `totalPages` to the nearest integer",
    "Round up.",
    ({ list, pageSize }) => Math.round(list.length / pageSize),
  ),
  states(
    "totalPages",
    "total-pages-always-one-more",
    "counts one page too many in `totalPages`",
    "The code rounds up and adds one.",
    ({ list, pageSize }) => Math.ceil(list.length / pageSize) + 1,
  ),
  states(
    "totalPages",
    "total-pages-one-fewer",
    "counts one page too few in `totalPages`",
    "The number is the index of the last page, counted from 0.",
    ({ list, pageSize }) => Math.ceil(list.length / pageSize) - 1,
  ),
  states(
    "totalPages",
    "total-pages-of-default-size",
    "computes `totalPages` with a `pageSize` of 100, whatever was asked for",
    "The number of pages is computed with the default, not with the `pageSize` of the request.",
    ({ list }) => Math.ceil(list.length / DEFAULT_SIZE),
  ),
  states(
    "totalPages",
    "total-pages-is-total",
    "states the number of items as `totalPages`",
    "Two members of PaginatedResultsInfo are mixed up.",
    ({ list }) => list.length,
  ),
  states(
    "totalPages",
    "total-pages-is-page",
    "states the page as `totalPages`",
    "Two members of PaginatedResultsInfo are mixed up.",
    ({ page }) => page,
  ),
  states(
    "totalPages",
    "total-pages-of-page",
    "computes `totalPages` from the number of the page's items",
    "The length of the page is taken for the length of the list.",
    ({ items, pageSize }) => Math.ceil(items.length / pageSize),
  ),
  states(
    "totalPages",
    "total-pages-left",
    "counts in `totalPages` only the pages from this one on",
    INFO,
    ({ list, page, pageSize }) => Math.max(0, Math.ceil(list.length / pageSize) - page + 1),
  ),
  states("totalPages", "total-pages-always-one", "always states 1 as `totalPages`", INFO, () => 1),
  states("totalPages", "total-pages-zero", "always states 0 as `totalPages`", INFO, () => 0),
];

/** Wrong pages (PaginatedResultsInfo, PaginatedQueryParams). The plainer ones of each member come first. */
export const PAGE_MISTAKES: readonly PageMistake[] = [...ITEMS, ...NUMBERS];

/** Of one request alone this is not to be seen. */
export const UNSTEADY: PageMistake = {
  fault: "order-unstable",
  member: "items",
  behaves: "changes the order of items from request to request",
  look: "The query has no ORDER BY, or none that decides between equal rows.",
  answers: () => [],
};

/** When a receiver makes a mistake, as the end of a sentence. */
export interface PageCondition {
  readonly words: string;
  readonly holds: (asked: AskedPage) => boolean;
}

/** From the plain to the special. */
export const PAGE_CONDITIONS: readonly PageCondition[] = [
  { words: "", holds: () => true },
  { words: ", if the request names no `pageSize`", holds: ({ given }) => !given.pageSize },
  { words: ", if the request names no `page`", holds: ({ given }) => !given.page },
  {
    words: ", if the request names neither `page` nor `pageSize`",
    holds: ({ given }) => !given.page && !given.pageSize,
  },
  { words: ", on an empty page", holds: ({ items }) => items.length === 0 },
  {
    words: ", beyond the last page",
    holds: (asked) => asked.page > Math.ceil(asked.list.length / asked.pageSize),
  },
  { words: ", on every page but the first", holds: ({ page }) => page > 1 },
  { words: ", on the first page", holds: ({ page }) => page === 1 },
  { words: ", on the last page", holds: (asked) => asked.page === lastPage(asked) },
  {
    words: ", on every page but the last",
    holds: (asked) => asked.page < lastPage(asked),
  },
  {
    words: ", if the last page is full",
    holds: ({ list, pageSize }) => list.length % pageSize === 0,
  },
  {
    words: ", if the last page is not full",
    holds: ({ list, pageSize }) => list.length % pageSize !== 0,
  },
  { words: ", if the list is empty", holds: ({ list }) => list.length === 0 },
  {
    words: ", if all items are on one page",
    holds: ({ list, pageSize }) => list.length <= pageSize,
  },
];
