import { accessibleIds } from "../store.ts";
import { telling } from "../variants/pagination.ts";
import type { Fault } from "./fault.ts";
import { asking, inBounds } from "./paginating.ts";

/** Faults of PaginatedResultsInfo, and of what it tells. */
export const INFO_FAULTS: readonly Fault[] = [
  {
    name: "info-missing",
    title: "Leaves PaginatedResultsInfo out of its pages",
    rule: "pagination.results-info",
    how: "The handler answers with the repository's rows, and the total goes into a header.",
    ...telling(() => undefined),
  },
  {
    name: "info-missing-on-readChangesFeed",
    title: "Leaves PaginatedResultsInfo out of the feed's pages",
    rule: "pagination.results-info",
    how: "The feed was added later, and the envelope of the list was not taken over.",
    ...telling((info, { operation }) => (operation === "readChangesFeed" ? undefined : info)),
  },
  {
    name: "info-missing-by-default",
    title: "Leaves PaginatedResultsInfo out where there are no parameters",
    rule: "pagination.results-info",
    how: "Without parameters another branch answers, older than pagination.",
    ...telling((info, { query }) => (Object.keys(query).length > 0 ? info : undefined)),
  },
  {
    name: "info-missing-beyond-the-end",
    title: "Leaves PaginatedResultsInfo out of an empty page",
    rule: "pagination.results-info",
    how: "Nothing found is answered early, with an empty list.",
    ...telling((info, _call, { items }) => (items.length > 0 ? info : undefined)),
  },
  {
    name: "info-numbers-as-text",
    title: "Makes page and pageSize strings",
    rule: "pagination.results-info",
    how: "The query's values are echoed as they came.",
    ...telling((info) => ({
      ...info,
      page: String(info["page"]),
      pageSize: String(info["pageSize"]),
    })),
  },
  {
    name: "info-without-page-size",
    title: "Leaves pageSize out of PaginatedResultsInfo",
    rule: "pagination.results-info",
    how: "The client sent it and is taken to know it.",
    ...telling(({ page, totalItems, totalPages }) => ({ page, totalItems, totalPages })),
  },
  {
    name: "info-other-member",
    title: "Adds a member of its own to PaginatedResultsInfo",
    rule: "pagination.results-info",
    how: "The pagination library's object is passed on whole.",
    ...telling((info) => ({ ...info, hasNext: Number(info["page"]) < Number(info["totalPages"]) })),
  },
  {
    name: "info-counts-from-zero",
    title: "Counts page in PaginatedResultsInfo from 0",
    rule: "pagination.results-info",
    how: "Spring Data's Page counts from 0, and only the parameter is shifted.",
    ...telling((info) => ({ ...info, page: Number(info["page"]) - 1 })),
  },
  {
    name: "info-page-always-1",
    title: "Says page 1 in PaginatedResultsInfo always",
    rule: "pagination.echo",
    how: "The info is made where the parameters are not known, with a default.",
    ...telling((info) => ({ ...info, page: 1 })),
  },
  {
    name: "page-clamped",
    title: "Shows the last page beyond the end, and names it",
    rule: "pagination.echo",
    how: "The paginator of many web frameworks is lenient like this for browsers.",
    ...asking((call, items) => {
      const last = Math.max(1, Math.ceil(items.length / Number(call.query["pageSize"] ?? 100)));
      return inBounds(call.query["page"]) > last ? { page: `${last}` } : {};
    }),
  },
  {
    name: "info-page-size-default",
    title: "Says pageSize 100 in PaginatedResultsInfo always",
    rule: "pagination.echo",
    how: "The info is made where the parameters are not known, with a default.",
    ...telling((info) => ({ ...info, pageSize: 100 })),
  },
  {
    name: "total-counts-hidden",
    title: "Counts items in totalItems that it does not show",
    rule: "pagination.totals",
    how: "COUNT(*) runs without the filter for access.",
    ...telling((info) => {
      const totalItems = Number(info["totalItems"]) + 1;
      return { ...info, totalItems, totalPages: Math.ceil(totalItems / Number(info["pageSize"])) };
    }),
  },
  {
    name: "total-for-bound-counts-all",
    title: "Counts the organizations that a bound token is not shown in the totals of its list",
    rule: "pagination.totals",
    how: "COUNT(*) runs with the filter for the subject, and the binding was added to the rows alone.",
    ...telling((info, { claims, operation, receiver }) => {
      if (operation !== "listOrganizations") return info;
      const totalItems = accessibleIds(receiver.store, claims["sub"]).length;
      return { ...info, totalItems, totalPages: Math.ceil(totalItems / Number(info["pageSize"])) };
    }),
  },
  {
    name: "total-items-of-page",
    title: "Counts the items of the page in totalItems",
    rule: "pagination.totals",
    how: "The length of the result is taken for the total.",
    ...telling((info, _call, { items }) => ({
      ...info,
      totalItems: items.length,
      totalPages: Math.ceil(items.length / Number(info["pageSize"])),
    })),
  },
  {
    name: "total-pages-floor",
    title: "Rounds totalPages down",
    rule: "pagination.totals",
    how: "Integers are divided.",
    ...telling((info) => ({
      ...info,
      totalPages: Math.floor(Number(info["totalItems"]) / Number(info["pageSize"])),
    })),
  },
  {
    name: "total-pages-one-more",
    title: "Counts one page more in totalPages where the last one is full",
    rule: "pagination.totals",
    how: "One is added to the integer division.",
    ...telling((info) => ({
      ...info,
      totalPages: Math.floor(Number(info["totalItems"]) / Number(info["pageSize"])) + 1,
    })),
  },
  {
    name: "total-zero-beyond-the-end",
    title: "Says totals of 0 beyond the end",
    rule: "pagination.totals",
    how: "COUNT(*) OVER () is read from the first row, and there is none.",
    ...telling((info, _call, { items }) =>
      items.length > 0 ? info : { ...info, totalItems: 0, totalPages: 0 },
    ),
  },
];
