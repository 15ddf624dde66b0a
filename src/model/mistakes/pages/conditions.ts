import { type AskedPage, lastPage } from "./page.ts";

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
