import {
  DEFAULT_SIZE,
  lastPage,
  type AskedPage,
  type PageMistake,
  SIZES,
  windowOf,
} from "./page.ts";

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

function right({ page, pageSize, list }: AskedPage): readonly string[] {
  return windowOf(list, (page - 1) * pageSize, pageSize);
}

const OFFSET = "Look at how the offset is computed: it is (page - 1) × `pageSize`.";
const LENGTH = "Look at the limit of the query, or the end of the slice.";

/** Wrong items on a page. The plainer ones come first. */
export const ITEM_MISTAKES: readonly PageMistake[] = [
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

/** Of one request alone this is not to be seen. */
export const UNSTEADY: PageMistake = {
  fault: "order-unstable",
  member: "items",
  behaves: "changes the order of items from request to request",
  look: "The query has no ORDER BY, or none that decides between equal rows.",
  answers: () => [],
};
