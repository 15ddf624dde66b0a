import { isBound } from "../checks.ts";
import type { Call } from "../model.ts";
import { good } from "../routes.ts";
import type { Patch } from "../steps.ts";
import { accessibleIds, mayAccess, PARTNER, SUBJECT } from "../store.ts";
import { type Faults, ownedBy } from "./fault.ts";
import { slicing, GREATEST, inBounds } from "./paginating.ts";

export const ITEM_FAULTS: Faults = {
  "page-one-too-long": {
    title: "Puts one item more than pageSize on a page",
    rule: "pagination.page-length",
    how: "One more row is fetched to know whether there is a next page, and it is not removed.",
    ...slicing(
      (start) => start,
      (pageSize) => pageSize + 1,
    ),
  },
  "page-size-ignored": {
    title: "Puts all items on every page, whatever its pageSize",
    rule: "pagination.page-length",
    how: "The parameters are validated and echoed, but LIMIT is missing.",
    ...slicing(
      () => 0,
      () => Infinity,
    ),
  },
  "filtered-after-paging-for-partners": {
    title: "Removes what a second subject may not see from a page after it was cut",
    rule: "pagination.page-length",
    how: "One query serves all subjects of a tenant, and denials of single subjects are applied to its rows.",
    listOrganizations: (original) => (call) => {
      const { steps, store } = call.receiver;
      if (isBound(call) || call.claims["sub"] !== PARTNER) return original(call);
      const page = steps.paginate(call, accessibleIds(store, SUBJECT));
      const { paginationInfo } = steps.paginate(call, steps.visibleOrganizations(call));
      const shown = page.items.filter((id) => mayAccess(PARTNER, id));
      const items = shown.flatMap((id) => store.organizations.get(id) ?? []);
      return good(call, { items, ...(paginationInfo && { paginationInfo }) });
    },
  },
  "feed-filtered-after-paging-for-partners": {
    title:
      "Removes changes that a second subject may not see from a page of the feed after it was cut",
    rule: "pagination.page-length",
    how: "LIMIT and OFFSET are part of the query, and the policy of the feed filters the rows that it returns.",
    variants: ["feed-by-subject"],
    paginate: (original) => (call, items) => {
      const own = original(call, items);
      if (!isFeedOfPartner(call)) return own;
      const shown = original({ ...call, query: { page: "1", pageSize: "1000" } }, items).items;
      const cut = original(forAll(call), items).items;
      return { ...own, items: cut.filter((change) => shown.includes(change)) };
    },
  },
  "feed-total-counts-what-partners-may-not-see": {
    title: "Counts changes in the totals of a second subject's feed that it may not see",
    rule: "pagination.totals",
    how: "COUNT(*) runs without the policy, and pages are cut out of what the subject may see.",
    variants: ["feed-by-subject"],
    paginate: (original) => (call, items) => {
      if (!isFeedOfPartner(call)) return original(call, items);
      const { paginationInfo } = original(forAll(call), items);
      return { ...original(call, items), ...(paginationInfo && { paginationInfo }) };
    },
  },
  "feed-page-too-long-for-partners": {
    title: "Puts one change more than pageSize on a page of a second subject's feed",
    rule: "pagination.page-length",
    how: "The query of partners fetches one more row to know whether there is a next page, and it is not removed.",
    variants: ["feed-by-subject"],
    ...inFeedOfPartner(
      slicing(
        (start) => start,
        (pageSize) => pageSize + 1,
      ),
    ),
  },
  "feed-pages-overlap-for-partners": {
    title: "Begins every page of a second subject's feed with the last change of the previous one",
    rule: "pagination.partition",
    how: "The offset counts from 1 in the query of partners, and from 0 in the code.",
    variants: ["feed-by-subject"],
    ...inFeedOfPartner(slicing((start) => Math.max(0, start - 1))),
  },
  "feed-total-pages-floor-for-partners": {
    title: "Rounds totalPages of a second subject's feed down",
    rule: "pagination.totals",
    how: "The query of partners has its own count, and the code uses integer division.",
    variants: ["feed-by-subject"],
    ...inFeedOfPartner({
      paginate: (original) => (call, items) => {
        const page = original(call, items);
        const { paginationInfo: info } = page;
        if (!info) return page;
        const totalPages = Math.floor(info.totalItems / info.pageSize);
        return { ...page, paginationInfo: { ...info, totalPages } };
      },
    }),
  },
  "filtered-after-paging": {
    title: "Removes hidden organizations from a page after it was cut",
    rule: "pagination.page-length",
    how: "Access is checked on the rows that the database returns.",
    listOrganizations: (original) => (call) => {
      const { steps, store } = call.receiver;
      const visible = steps.visibleOrganizations(call);
      if (visible.length < 2) return original(call);
      const page = steps.paginate(call, [...store.organizations.keys()]);
      const { paginationInfo } = steps.paginate(call, visible);
      const shown = page.items.filter((id) => mayAccess(call.claims["sub"], id));
      const items = shown.flatMap((id) => store.organizations.get(id) ?? []);
      return good(call, { items, ...(paginationInfo && { paginationInfo }) });
    },
  },
  ...ownedBy("pagination.partition", {
    "page-ignored": {
      title: "Shows the first page for every page",
      how: "LIMIT is present, and OFFSET is missing.",
      ...slicing(() => 0),
    },
    "last-page-repeated": {
      title: "Shows the items of the last page on every later one",
      how: "The offset is limited to the start of the last page, so that no page is empty.",
      ...slicing((start, pageSize, _call, { length }) =>
        Math.min(start, Math.max(0, Math.ceil(length / pageSize) - 1) * pageSize),
      ),
    },
    "page-ignored-on-readChangesFeed": {
      title: "Shows the first page of the feed for every page",
      how: "The feed has an internal cursor that does not use page.",
      ...slicing((start, _size, { operation }) => (operation === "readChangesFeed" ? 0 : start)),
    },
    "pages-overlap": {
      title: "Begins every page with the last item of the previous one",
      how: "The offset counts from 1 in the database and from 0 in the code, or the reverse.",
      ...slicing((start) => Math.max(0, start - 1)),
    },
    "pages-from-the-second": {
      title: "Begins page 1 where page 2 should begin",
      how: "The framework counts pages from 0, as Pageable of Spring Data does, and page is passed on as it is.",
      ...slicing((start, pageSize) => start + pageSize),
    },
    "pages-skip": {
      title: "Omits an item between pages",
      how: "A cursor that excludes its own item is computed from the next item.",
      ...slicing((start) => (start === 0 ? 0 : start + 1)),
    },
    "last-page-lost": {
      title: "Leaves the last page empty unless it is full",
      how: "The number of pages is rounded down when a page is looked up.",
      ...slicing((start, pageSize, _call, items) =>
        start > 0 && start + pageSize > items.length ? items.length : start,
      ),
    },
    "order-unstable": {
      title: "Changes the order of items from request to request",
      how: "The query has LIMIT and OFFSET without ORDER BY.",
      source: "https://www.postgresql.org/docs/current/queries-limit.html",
      paginate: (original) => {
        let requests = 0;
        return (call, items) => original(call, requests++ % 2 === 0 ? items : items.toReversed());
      },
    },
    "order-unstable-among-equals": {
      title: "Changes the order of neighbouring items on every second page",
      how: "ORDER BY names a column in which rows are equal, and how many of them are sorted depends on OFFSET.",
      source: "https://www.postgresql.org/docs/current/queries-limit.html",
      paginate: (original) => (call, items) => {
        if (inBounds(call.query["page"]) % 2 !== 0) return original(call, items);
        return original(
          call,
          items.map((item, at) => items[neighbour(at)] ?? item),
        );
      },
    },
    "order-other-from-third-page": {
      title: "Has another order of the items from the third page on",
      how: "The query has no ORDER BY, and the database reads rows in another way where OFFSET is large.",
      source: "https://www.postgresql.org/docs/current/queries-limit.html",
      paginate: (original) => (call, items) =>
        original(
          call,
          inBounds(call.query["page"]) > 2 ? [...items.slice(1), ...items.slice(0, 1)] : items,
        ),
    },
    "offset-wraps": {
      title: "Shows the first items on a distant page whose offset is not an int32",
      how: "The offset is computed in 32 bits, and the database reads the negative number that comes of it as 0.",
      ...slicing((start) => (start > GREATEST ? 0 : start)),
    },
    "large-pages-lose-the-last": {
      title: "Omits the last item from pages of more than 1,000 items",
      how: "A large page is read in parts, and the last part ends before the row that ends it.",
      ...changingLarge((items) => items.slice(0, -1)),
    },
    "large-pages-repeat-the-last": {
      title: "Repeats the last item on pages of more than 1,000 items",
      how: "A large page is read in parts, and the last part begins with the row that ended the one before.",
      ...changingLarge((items) => [...items, ...items.slice(-1)]),
    },
  }),
};

const LARGE = 1000;

/** Changes the items on large pages alone. */
function changingLarge(change: <Item>(items: readonly Item[]) => readonly Item[]): Patch {
  return {
    paginate: (original) => (call, items) => {
      const page = original(call, items);
      const isLarge = inBounds(call.query["pageSize"]) > LARGE;
      return isLarge ? { ...page, items: change(page.items) } : page;
    },
  };
}

/** The index of the other item with the same value in the column that is sorted by. The first item is alone. */
function neighbour(at: number): number {
  if (at === 0) return 0;
  return at % 2 === 0 ? at - 1 : at + 1;
}

function isFeedOfPartner({ operation, claims }: Call): boolean {
  return operation === "readChangesFeed" && claims["sub"] === PARTNER;
}

/** Cuts pages in another way out of what a second subject is shown of a feed. */
function inFeedOfPartner({ paginate = (original) => original }: Patch): Patch {
  return {
    paginate: (original) => {
      const wrong = paginate(original);
      return (call, items) => {
        if (!isFeedOfPartner(call)) return original(call, items);
        const all = { ...call, query: { page: "1", pageSize: "1000" } };
        return wrong(call, original(all, items).items);
      };
    },
  };
}

/** The call as if its subject were shown everything. */
function forAll(call: Call): Call {
  return { ...call, claims: { ...call.claims, sub: SUBJECT } };
}
