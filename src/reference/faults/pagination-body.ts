import { changingInfo } from "../page-patches.ts";
import { type Fault, ownedBy } from "./fault.ts";
import { changingQuery, each } from "./paginating.ts";

/** Faults of a submission that is paginated. */
export const BODY_FAULTS: readonly Fault[] = ownedBy("pagination.body", [
  {
    name: "body-parameters-ignored",
    title: "Ignores page and pageSize in the body",
    variants: ["submit-paginated"],
    how: "The paginator reads the query, as for GET.",
    ...changingQuery(({ operation }) =>
      operation === "submitChange" ? { page: undefined, pageSize: undefined } : {},
    ),
  },
  {
    name: "body-bounds-unchecked",
    title: "Accepts any value of page and pageSize in the body",
    variants: ["submit-paginated"],
    how: "The schema of the query has bounds, and that of the body has none.",
    ...changingQuery(({ operation, query }) =>
      operation === "submitChange"
        ? each(query, /./, (text) => (/^[1-9]\d{0,8}$/.test(text) ? text : "1"))
        : {},
    ),
  },
  {
    name: "body-info-missing",
    title: "Omits PaginatedResultsInfo from the answer to a paginated submission",
    variants: ["submit-paginated"],
    how: "Only the GET handlers add the envelope of pages.",
    ...changingInfo((info, { operation }) => (operation === "submitChange" ? undefined : info)),
  },
]);
