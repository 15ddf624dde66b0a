import { telling } from "../variants/pagination.ts";
import type { Fault } from "./fault.ts";
import { asking, each } from "./paginating.ts";

/** Faults of a submission that is paginated. */
export const BODY_FAULTS: readonly Fault[] = [
  {
    name: "body-parameters-ignored",
    title: "Does not look at page and pageSize in the body",
    rule: "pagination.body",
    variants: ["submit-paginated"],
    how: "The paginator reads the query, as it does for GET.",
    ...asking(({ operation }) =>
      operation === "submitChange" ? { page: undefined, pageSize: undefined } : {},
    ),
  },
  {
    name: "body-bounds-unchecked",
    title: "Takes anything for page and pageSize in the body",
    rule: "pagination.body",
    variants: ["submit-paginated"],
    how: "The schema of the query has bounds, that of the body has none.",
    ...asking(({ operation, query }) =>
      operation === "submitChange"
        ? each(query, /./, (text) => (/^[1-9]\d{0,8}$/.test(text) ? text : "1"))
        : {},
    ),
  },
  {
    name: "body-info-missing",
    title: "Leaves PaginatedResultsInfo out of the answer to a submission that is paginated",
    rule: "pagination.body",
    variants: ["submit-paginated"],
    how: "The envelope of pages is put on by the handlers of GET.",
    ...telling((info, { operation }) => (operation === "submitChange" ? undefined : info)),
  },
];
