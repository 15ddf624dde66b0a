import type { Mutation } from "../mutations/mutation.ts";
import type { OperationProfile } from "../profile/operation.ts";
import { findPaginationInfo } from "./read/shapes.ts";

/** The number of pages of a long list that are read at each end. */
const PAGES_AT_EACH_END = 2;

/** Numbers of the pages to read after the first one: the following ones and the last ones. */
export function furtherPages(first: unknown, profile: OperationProfile): number[] {
  const total = findPaginationInfo(first, profile)?.["totalPages"];
  if (typeof total !== "number" || !Number.isSafeInteger(total)) return [];
  const pages: number[] = [];
  for (let page = 2; page <= PAGES_AT_EACH_END; page++) pages.push(page);
  for (let page = total - PAGES_AT_EACH_END + 1; page <= total; page++) pages.push(page);
  return [...new Set(pages)].filter((page) => page > 1 && page <= total);
}

/** The same request for another page. */
export function atPage(page: number): Mutation {
  return {
    name: `page-${page}`,
    what: `the page is ${page}`,
    request: (spec) => ({ ...spec, path: `${spec.path}?page=${page}` }),
  };
}
