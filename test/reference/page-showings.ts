import type { Showing } from "./access-showings.ts";
import { BINDING, organization, send } from "./client.ts";

const list =
  (query: string): Showing =>
  () => ({ operation: "listOrganizations", query });

const submission =
  (body: unknown): Showing =>
  () => ({ operation: "submitChange", body });

/** Requests that show the faults of pagination. The list has 24 organizations. */
export const PAGE_SHOWINGS: Readonly<Record<string, Showing>> = {
  "info-missing": list("?page=1"),
  "info-missing-by-default": list(""),
  "info-missing-beyond-the-end": list("?page=9"),
  "info-numbers-as-text": list("?page=1"),
  "info-without-page-size": list("?page=1"),
  "info-other-member": list("?page=1"),
  "info-counts-from-zero": list("?page=1"),
  "info-page-always-1": list("?page=2"),
  "page-clamped": list("?page=9"),
  "info-page-size-of-page": list("?page=9"),
  "info-page-size-default": list("?pageSize=5"),
  "total-counts-hidden": list("?page=1"),
  "total-for-bound-counts-all": (receiver) => ({
    operation: "listOrganizations",
    token: { claims: { [BINDING]: organization(receiver, "primary") } },
  }),
  "list-filtered-after-paging": (receiver) => ({
    operation: "listOrganizations",
    query: "?page=1&pageSize=1",
    token: { claims: { [BINDING]: organization(receiver, "other") } },
  }),
  "total-items-of-page": list("?pageSize=5"),
  "total-pages-floor": list("?pageSize=5"),
  "total-pages-rounded": list("?pageSize=10"),
  "total-pages-one-more": list("?pageSize=6"),
  "total-pages-zero-by-default": list(""),
  "total-zero-beyond-the-end": list("?page=9"),
  "page-size-over-1000-refused": list("?pageSize=1001"),
  "page-size-over-100-refused": list("?pageSize=101"),
  "beyond-the-end-400": list("?page=2"),
  "page-16-bit": list("?page=32768"),
  "offset-overflows": list("?page=2147483647&pageSize=2147483647"),
  "page-zero-accepted": list("?page=0"),
  "page-size-zero-accepted": list("?pageSize=0"),
  "page-size-negative-accepted": list("?pageSize=-1"),
  "page-size-all": list("?pageSize=all"),
  "negative-page-accepted": list("?page=-1"),
  "int32-exceeded": list("?page=2147483648"),
  "int32-wraps": list("?page=4294967297"),
  "parameters-by-parse-int": list("?page=1.5"),
  "parameters-on-any-line": list("?page=1%0Aabc"),
  "text-taken-for-default": list("?page=abc"),
  "text-500": list("?page=abc"),
  "parameters-ignored": list("?page=2"),
  "parameters-ignored-for-bound": (receiver) => ({
    operation: "readChangesFeed",
    query: "?page=2",
    token: { claims: { [BINDING]: organization(receiver, "primary") } },
  }),
  "default-page-size-20": list(""),
  "page-required": list("?pageSize=5"),
  "parameters-only-together": list("?page=2"),
  "unknown-parameter-ignored": list("?conformance=1"),
  "page-one-too-long": list("?pageSize=5"),
  "page-size-ignored": list("?pageSize=5"),
  "filtered-after-paging": list("?pageSize=5"),
  "last-page-repeated": list("?page=9"),
  "page-ignored": list("?page=2&pageSize=5"),
  "pages-overlap": list("?page=2&pageSize=5"),
  "pages-from-the-second": list("?pageSize=5"),
  "pages-skip": list("?page=2&pageSize=5"),
  "last-page-lost": list("?page=5&pageSize=5"),
  "order-unstable": async (receiver) => {
    const request = { operation: "listOrganizations" } as const;
    await send(receiver, request);
    return request;
  },
  "order-unstable-among-equals": list("?page=2&pageSize=1"),
  "offset-wraps": list("?page=2147483647&pageSize=2147483647"),
  "body-parameters-ignored": submission({ mission: "changed", page: 2 }),
  "body-bounds-unchecked": submission({ mission: "changed", page: 0 }),
  "body-info-missing": submission({ mission: "changed", page: 1 }),
};
