import { changingInfo } from "../patches.ts";
import { accessibleIds, PARTNER, SUBJECT } from "../store.ts";
import { type Faults, ownedBy } from "./fault.ts";
import { changingQuery, inBounds } from "./paginating.ts";

export const INFO_FAULTS: Faults = {
  ...ownedBy("pagination.results-info", {
    "info-missing": {
      title: "Omits PaginatedResultsInfo from its pages",
      how: "The handler returns the repository's rows, and a header has the total.",
      ...changingInfo(() => undefined),
    },
    "info-missing-on-readChangesFeed": {
      title: "Omits PaginatedResultsInfo from the feed's pages",
      how: "The feed was added later, without the envelope of the list.",
      ...changingInfo((info, { operation }) =>
        operation === "readChangesFeed" ? undefined : info,
      ),
    },
    "info-missing-by-default": {
      title: "Omits PaginatedResultsInfo if there are no parameters",
      how: "Requests without parameters use a branch that is older than pagination.",
      ...changingInfo((info, { query }) => (Object.keys(query).length > 0 ? info : undefined)),
    },
    "info-missing-beyond-the-end": {
      title: "Omits PaginatedResultsInfo from an empty page",
      how: "An empty result is answered early, with an empty list.",
      ...changingInfo((info, _call, { items }) => (items.length > 0 ? info : undefined)),
    },
    "info-page-size-of-page": {
      title: "States the number of the page's items as pageSize, so 0 for an empty page",
      how: "The code counts what it sends, as pageSize seems to be the size of the page.",
      ...changingInfo((info, _call, { items }) => ({ ...info, pageSize: items.length })),
    },
    "info-numbers-as-text": {
      title: "Makes page and pageSize strings",
      how: "The values of the query are echoed unchanged.",
      ...changingInfo((info) => ({
        ...info,
        page: String(info["page"]),
        pageSize: String(info["pageSize"]),
      })),
    },
    "info-without-page-size": {
      title: "Omits pageSize from PaginatedResultsInfo",
      how: "The client sent it, so the author assumed that it knows the value.",
      ...changingInfo(({ page, totalItems, totalPages }) => ({ page, totalItems, totalPages })),
    },
    "info-other-member": {
      title: "Adds its own member to PaginatedResultsInfo",
      how: "The pagination library's object is passed on unchanged.",
      ...changingInfo((info) => ({
        ...info,
        hasNext: Number(info["page"]) < Number(info["totalPages"]),
      })),
    },
    "info-counts-from-zero": {
      title: "Counts page in PaginatedResultsInfo from 0",
      how: "Spring Data's Page counts from 0, and only the parameter is converted.",
      ...changingInfo((info) => ({ ...info, page: Number(info["page"]) - 1 })),
    },
  }),
  "info-page-always-1": {
    title: "Always states page 1 in PaginatedResultsInfo",
    rule: "pagination.echo",
    how: "The code that makes the info does not know the parameters, and uses a default.",
    ...changingInfo((info) => ({ ...info, page: 1 })),
  },
  "page-clamped": {
    title: "Answers a page beyond the end with the last page, and states its number",
    rule: "pagination.echo",
    how: "The paginators of many web frameworks do this for browsers.",
    ...changingQuery((call, items) => {
      const last = Math.max(1, Math.ceil(items.length / Number(call.query["pageSize"] ?? 100)));
      return inBounds(call.query["page"]) > last ? { page: `${last}` } : {};
    }),
  },
  "info-page-size-default": {
    title: "Always states pageSize 100 in PaginatedResultsInfo",
    rule: "pagination.echo",
    how: "The code that makes the info does not know the parameters, and uses a default.",
    ...changingInfo((info) => ({ ...info, pageSize: 100 })),
  },
  ...ownedBy("pagination.totals", {
    "total-counts-hidden": {
      title: "Counts items in totalItems that it does not show",
      how: "COUNT(*) runs without the access filter.",
      ...changingInfo((info) => totalling(info, Number(info["totalItems"]) + 1)),
    },
    "total-for-bound-counts-all": {
      title: "Counts organizations in the totals of a bound token's list that it does not show",
      how: "COUNT(*) runs with the filter for the subject, and the binding filters only the rows.",
      ...changingInfo((info, { claims, operation, receiver }) =>
        operation === "listOrganizations"
          ? totalling(info, accessibleIds(receiver.store, claims["sub"]).length)
          : info,
      ),
    },
    "total-counts-what-partners-may-not-see": {
      title: "Counts organizations in the totals of a second subject's list that it may not see",
      how: "COUNT(*) runs for the tenant, and denials of single subjects filter only the rows.",
      ...changingInfo((info, { claims, operation, receiver }) =>
        operation === "listOrganizations" && claims["sub"] === PARTNER
          ? totalling(info, accessibleIds(receiver.store, SUBJECT).length)
          : info,
      ),
    },
    "list-filtered-after-paging": {
      title: "Applies the binding to a page that was cut out of the whole list",
      how: "LIMIT and OFFSET are part of the query, and the binding filters the rows that it returns.",
      paginate: (original) => (call, items) => {
        const page = original(call, items);
        if (call.operation !== "listOrganizations") return page;
        const { store } = call.receiver;
        const whole = original(call, accessibleIds(store, call.claims["sub"])).items;
        return { ...page, items: items.filter((id) => whole.some((one) => one === id)) };
      },
    },
    "total-items-of-page": {
      title: "Counts the items of the page in totalItems",
      how: "The code uses the length of the result as the total.",
      ...changingInfo((info, _call, { items }) => totalling(info, items.length)),
    },
    "total-pages-floor": {
      title: "Rounds totalPages down",
      how: "The code uses integer division.",
      ...changingInfo((info) => totalling(info, undefined, Math.floor)),
    },
    "total-pages-rounded": {
      title: "Rounds totalPages to the nearest integer",
      how: "The code rounds the quotient, with `Math.round` in place of `Math.ceil`.",
      ...changingInfo((info) => totalling(info, undefined, Math.round)),
    },
    "total-pages-one-more": {
      title: "Counts one page too many in totalPages if the last one is full",
      how: "The code adds one to the integer division.",
      ...changingInfo((info) => totalling(info, undefined, (pages) => Math.floor(pages) + 1)),
    },
    "total-pages-zero-by-default": {
      title: "States a totalPages of 0 if there are no parameters",
      how: "The pages are counted only where a pageSize was requested.",
      ...changingInfo((info, { query }) =>
        Object.keys(query).length > 0 ? info : { ...info, totalPages: 0 },
      ),
    },
    "total-zero-beyond-the-end": {
      title: "States totals of 0 beyond the end",
      how: "COUNT(*) OVER () is read from the first row, and there is no row.",
      ...changingInfo((info, _call, { items }) =>
        items.length > 0 ? info : { ...info, totalItems: 0, totalPages: 0 },
      ),
    },
  }),
};

/** PaginatedResultsInfo with other totals. */
function totalling(
  info: Readonly<Record<string, unknown>>,
  totalItems: number = Number(info["totalItems"]),
  round: (pages: number) => number = Math.ceil,
): Readonly<Record<string, unknown>> {
  return { ...info, totalItems, totalPages: round(totalItems / Number(info["pageSize"])) };
}
