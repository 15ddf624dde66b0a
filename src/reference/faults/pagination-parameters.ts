import { isBound } from "../checks.ts";
import { changingInfo } from "../patches.ts";
import { type Faults, ownedBy } from "./fault.ts";
import {
  changingQuery,
  GREATEST,
  inBounds,
  NO_PARAMETERS,
  reading,
  refusingPage,
} from "./paginating.ts";

export const PARAMETER_FAULTS: Faults = ownedBy("pagination.defaults", {
  ...ownedBy("pagination.bounds-accepted", {
    "page-size-over-100-refused": {
      title: "Refuses a pageSize above 100",
      how: "The validator has its own maximum.",
      ...refusingPage(({ query }) => inBounds(query["pageSize"]) > 100, 400),
    },
    "page-size-over-1000-refused": {
      title: "Refuses a pageSize above a maximum of its own, such as 1000",
      how: "The validator has its own maximum.",
      ...refusingPage(({ query }) => inBounds(query["pageSize"]) > 1000, 400),
    },
    "beyond-the-end-400": {
      title: "Refuses a page beyond the last one with 400",
      how: "The page is validated against the total.",
      ...refusingPage(
        ({ query }, items) =>
          inBounds(query["page"]) >
          Math.max(1, Math.ceil(items.length / Number(query["pageSize"] ?? 100))),
        400,
      ),
    },
    "page-16-bit": {
      title: "Refuses a page above 32767",
      how: "The parameter is bound to a short integer.",
      ...refusingPage(({ query }) => Number(query["page"]) > 32_767, 400),
    },
    "offset-overflows": {
      title: "Answers 500 for a distant page whose offset is not an int32",
      how: "page times pageSize overflows, and the database refuses a negative OFFSET.",
      ...refusingPage(
        ({ query }) =>
          (inBounds(query["page"]) - 1) * inBounds(query["pageSize"] ?? 100) > GREATEST,
        500,
      ),
    },
  }),
  ...ownedBy("pagination.bounds-rejected", {
    "page-zero-accepted": {
      title: "Treats page 0 as the first page",
      shows: "Accepts 0 as page",
      how: "`page || 1`",
      ...changingQuery(({ query }) => (query["page"] === "0" ? { page: "1" } : {})),
    },
    "page-size-zero-accepted": {
      title: "Treats pageSize 0 as 100",
      shows: "Accepts 0 as pageSize",
      how: "`pageSize || 100`",
      ...changingQuery(({ query }) => (query["pageSize"] === "0" ? { pageSize: "100" } : {})),
    },
    "page-size-negative-accepted": {
      title: "Treats a negative pageSize as no limit",
      shows: "Accepts a negative pageSize",
      how: "`LIMIT -1` is no limit in some databases, and -1 means all in many APIs.",
      ...changingQuery(({ query }) =>
        /^-\d+$/.test(String(query["pageSize"])) ? { pageSize: "2147483647" } : {},
      ),
    },
    "page-size-all": {
      title: "Takes the pageSize `all` for no limit",
      shows: "Accepts a word as pageSize, such as `all`",
      how: "The web pages of the service have a choice of this name, and call the same route.",
      ...changingQuery(({ query }) =>
        query["pageSize"] === "all" ? { pageSize: String(GREATEST) } : {},
      ),
    },
    "negative-page-accepted": {
      title: "Treats a negative page as the first one",
      shows: "Accepts a negative page",
      how: "The offset is clamped to 0, and the page is not validated.",
      ...changingQuery(({ query }) => (/^-\d+$/.test(String(query["page"])) ? { page: "1" } : {})),
    },
    "int32-exceeded": {
      title: "Treats page and pageSize above 2147483647 as 2147483647",
      shows: "Accepts a page and pageSize above 2147483647",
      how: "The parameters are doubles or bigints, and only the lower bound is checked.",
      ...reading(/^\d+$/, (text) => Math.min(Number(text), GREATEST)),
    },
    "int32-wraps": {
      title: "Wraps around page and pageSize above 2147483647",
      shows: "Accepts a page and pageSize above 2147483647",
      how: "A 64-bit integer is cast to a 32-bit integer before validation.",
      ...reading(/^\d+$/, (text) => Number(BigInt.asIntN(32, BigInt(text)))),
    },
    "parameters-by-parse-int": {
      title: "Treats 1.5 and 1abc as 1",
      shows: "Accepts fractions and text as page and pageSize",
      how: "parseInt reads as far as it can.",
      ...reading(/^[1-9]\d{0,8}\D/, (text) => Number.parseInt(text, 10)),
    },
    "parameters-on-any-line": {
      title: "Searches the lines of a parameter for a number",
      shows: "Accepts a number with further lines of text as page and pageSize",
      how: "In Ruby `^` and `$` are the ends of a line, as they are elsewhere with the flag m.",
      ...reading(/^[1-9]\d{0,8}\n/, (text) => Number.parseInt(text, 10)),
    },
    "text-taken-for-default": {
      title: "Treats text that is not a number as the default",
      shows: "Accepts text that is not a number as page and pageSize",
      how: "The framework's binder keeps the default if it cannot convert the text.",
      ...reading(/^[a-z]+$/i, () => undefined),
    },
    "wrong-taken-for-default": {
      title: "Treats every page and pageSize that is not valid as the default",
      shows: "Accepts every value of page and pageSize",
      how: "A schema with a fallback, such as `.catch(1)`, replaces the error.",
      ...changingQuery(({ query }) =>
        Object.fromEntries(
          (["page", "pageSize"] as const).map((name) => [
            name,
            Number.isNaN(inBounds(query[name])) ? undefined : query[name],
          ]),
        ),
      ),
    },
    "text-500": {
      title: "Answers 500 for text instead of a number",
      how: "The number format exception is not caught.",
      ...refusingPage(({ query }) => [query["page"], query["pageSize"]].some(isText), 500),
    },
  }),
  "parameters-ignored": {
    title: "Does not read page and pageSize",
    rule: "pagination.echo",
    how: "Every page was meant to be the first one of 100 until collections grow.",
    ...changingQuery(() => NO_PARAMETERS),
  },
  "parameters-ignored-for-bound": {
    title: "Does not read page and pageSize if the token is bound",
    rule: "pagination.echo",
    how: "Bound tokens had nothing but their own organization to list, and their handler was then used for the feed.",
    ...changingQuery((call) => (isBound(call) ? NO_PARAMETERS : {})),
  },
  "default-page-size-20": {
    title: "Has a default pageSize other than 100",
    how: "The framework's default was never changed.",
    ...changingQuery(({ query }) => (query["pageSize"] === undefined ? { pageSize: "20" } : {})),
  },
  "page-required": {
    title: "Refuses pageSize without page",
    how: "Both are validated as one object.",
    ...refusingPage(
      ({ query }) => query["pageSize"] !== undefined && query["page"] === undefined,
      400,
    ),
  },
  "parameters-only-together": {
    title: "Ignores one parameter without the other",
    how: "`if (page && pageSize)`",
    ...changingQuery(({ query }) =>
      query["page"] === undefined || query["pageSize"] === undefined ? NO_PARAMETERS : {},
    ),
  },
  "unknown-parameter-ignored": {
    title: "Ignores a query parameter that is not declared",
    rule: "pagination.unknown-parameter",
    how: "Web frameworks ignore parameters that no handler reads.",
    ...changingQuery(({ query }) =>
      Object.fromEntries(
        Object.keys(query)
          .filter((name) => name !== "page" && name !== "pageSize")
          .map((name) => [name, undefined]),
      ),
    ),
  },
});

function isText(value: unknown): boolean {
  return typeof value === "string" && /[a-z]/i.test(value);
}

export const BODY_FAULTS: Faults = ownedBy("pagination.body", {
  "body-parameters-ignored": {
    title: "Ignores page and pageSize in the body",
    variants: ["submit-paginated"],
    how: "The paginator reads the query, as for GET.",
    ...changingQuery(({ operation }) => (operation === "submitChange" ? NO_PARAMETERS : {})),
  },
  "body-bounds-unchecked": {
    title: "Accepts any value of page and pageSize in the body",
    variants: ["submit-paginated"],
    how: "The schema of the query has bounds, and that of the body has none.",
    ...reading(
      /./,
      (text) => (/^[1-9]\d{0,8}$/.test(text) ? text : "1"),
      ({ operation }) => operation === "submitChange",
    ),
  },
  "body-info-missing": {
    title: "Omits PaginatedResultsInfo from the answer to a paginated submission",
    variants: ["submit-paginated"],
    how: "Only the GET handlers add the envelope of pages.",
    ...changingInfo((info, { operation }) => (operation === "submitChange" ? undefined : info)),
  },
});
