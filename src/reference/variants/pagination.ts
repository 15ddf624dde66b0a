import { isObject } from "../../lib/json.ts";
import { changingInfo, UNPAGINATED, withQuery, withValue } from "../patches.ts";
import { Refusal } from "../refusal.ts";
import { shaping } from "./shape.ts";
import { type Variants, withOperation, without } from "./variant.ts";

/** Not divisible by 4 or 5. */
const MOST_PER_PAGE = 9;
const LARGE = 1000;
/** A page of this size contains all items. */
const WHOLE = 2_147_483_647;
/** The places of the schemas of a submission and of its answer in the document. */
const SUBMISSION = ["paths", "/orgs/{orgId}/changes", "post"];
const JSON_SCHEMA = ["content", "application/json", "schema"];
const SUBMITTED = [...SUBMISSION, "requestBody", ...JSON_SCHEMA];
const ANSWERED = [...SUBMISSION, "responses", "202", ...JSON_SCHEMA];
/** All profile keys that describe the pagination of a route. */
const PAGINATION = ["paginated", "pagination", "items"];

export const PAGINATION_VARIANTS: Variants = {
  "no-pagination": {
    title: "Lists are returned as a whole, without PaginatedResultsInfo",
    uses: ["pages"],
    ...UNPAGINATED,
    describe: (profile) => without(profile, ["paginated", "pagination"]),
  },
  "pages-capped": {
    title: "No page has more than 9 items, and PaginatedResultsInfo states this size",
    warned: ["pagination.bounds-accepted", "pagination.defaults"],
    paginate: (original) => (call, items) => {
      const page = original(call, items);
      const capped = (page.paginationInfo?.pageSize ?? 0) > MOST_PER_PAGE;
      return capped ? original(withQuery(call, { pageSize: `${MOST_PER_PAGE}` }), items) : page;
    },
  },
  "large-pages-capped": {
    title: "Pages of more than 1,000 items have 100, and PaginatedResultsInfo states this size",
    warned: ["pagination.bounds-accepted"],
    paginate: (original) => (call, items) => {
      const isLarge = (original(call, items).paginationInfo?.pageSize ?? 0) > LARGE;
      return original(isLarge ? withQuery(call, { pageSize: "100" }) : call, items);
    },
  },
  "large-pages-reversed": {
    title: "Pages of more than 1,000 items have the items in another order",
    paginate: (original) => (call, items) => {
      const isLarge = (original(call, items).paginationInfo?.pageSize ?? 0) > LARGE;
      return original(call, isLarge ? items.toReversed() : items);
    },
  },
  "no-totals": {
    title: "PaginatedResultsInfo has no totals",
    uses: ["totals"],
    ...changingInfo(({ page, pageSize }) => ({ page, pageSize })),
  },
  "total-pages-alone": {
    title: "PaginatedResultsInfo has totalPages without totalItems",
    uses: ["totals"],
    ...changingInfo(({ page, pageSize, totalPages }) => ({ page, pageSize, totalPages })),
  },
  "one-empty-page": {
    title: "An empty collection has one page: totalPages is 1 if there are no items",
    uses: ["totals"],
    ...changingInfo((info) => ({ ...info, totalPages: Math.max(1, Number(info["totalPages"])) })),
  },
  "info-nested": {
    title: "PaginatedResultsInfo is at /meta/page, and the profile does not say so",
    uses: ["envelope"],
    ...shaping(({ items, paginationInfo }) => ({
      meta: { requestId: "r-1", page: paginationInfo },
      items,
    })),
    describe: (profile) => without(profile, PAGINATION),
  },
  "info-beside-items": {
    title: "The members of PaginatedResultsInfo are beside the items, together with others",
    uses: ["envelope"],
    ...shaping(({ items, paginationInfo }) => ({
      status: 200,
      ...paginationInfo,
      items: items.length > 0 ? items : null,
    })),
    describe: (profile) => without(profile, PAGINATION),
  },
  "beyond-the-end-404": {
    title: "A page beyond the last one is answered with 404",
    paginate: (original) => (call, items) => {
      const page = original(call, items);
      const number = page.paginationInfo?.page ?? 1;
      if (number === 1 || page.items.length > 0) return page;
      throw new Refusal(404, "There is no such page.");
    },
  },
  "spellings-accepted": {
    title: "An integer may have any spelling, and may occur more than once",
    paginate: (original) => (call, items) => {
      const { page, pageSize } = call.query;
      return original(withQuery(call, { page: plain(page), pageSize: plain(pageSize) }), items);
    },
  },
  "feed-whole": {
    title: "The list is paginated, and the feed is always returned as a whole",
    paginate: (original) => (call, items) => {
      if (call.operation !== "readChangesFeed") return original(call, items);
      return { items: original({ ...call, query: { pageSize: `${WHOLE}` } }, items).items };
    },
    describe: (profile) => without(profile, ["paginated", "pagination"], "readChangesFeed"),
  },
  "submit-paginated": {
    title: "A submission takes page and pageSize in its body, and answers with a page of the feed",
    uses: ["pages", "submission"],
    submitChange: (original) => (call) => {
      const { page, pageSize, ...patch } = isObject(call.body) ? call.body : {};
      const query = { page: inText(page), pageSize: inText(pageSize) };
      const asked = withQuery(call, query);
      call.receiver.steps.paginate(asked, []);
      const answer = original({ ...call, body: isObject(call.body) ? patch : call.body });
      const { paginationInfo } = call.receiver.steps.paginate(asked, [answer]);
      return { ...answer, body: { ...(answer.body as object), paginationInfo } };
    },
    document: (original) => (receiver) => {
      const described = withValue(original(receiver), SUBMITTED, {
        allOf: [
          { $ref: "#/components/schemas/OrganizationPatch" },
          {
            type: "object",
            properties: {
              page: { $ref: "#/components/parameters/page/schema" },
              pageSize: { $ref: "#/components/parameters/pageSize/schema" },
            },
          },
        ],
      });
      return withValue(described, ANSWERED, {
        type: "object",
        required: ["status", "message", "data"],
        properties: {
          status: { type: "integer" },
          message: { type: "string" },
          data: { $ref: "#/components/schemas/Change" },
          paginationInfo: { $ref: "#/components/schemas/PaginatedResultsInfo" },
        },
        additionalProperties: false,
      });
    },
    documented: true,
    describe: (profile) =>
      withOperation(profile, "submitChange", (submit) => ({
        ...submit,
        paginated: true,
        pagination: "/paginationInfo",
      })),
  },
};

/** The integer that JavaScript reads from a text, as decimal text; of several texts, the last. */
function plain(value: unknown): unknown {
  const text: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (text === "") return undefined;
  return typeof text === "string" && Number.isInteger(Number(text)) ? String(Number(text)) : text;
}

/** A member of a JSON body as query text. A value that is not a number becomes text that is not a number. */
function inText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "number" ? String(value) : "none";
}
