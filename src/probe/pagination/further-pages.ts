import type { Reply } from "../../http/exchange.ts";
import { isObject } from "../../lib/json.ts";
import { addQuery } from "../../lib/uri.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { optional, together } from "../finding.ts";
import type { AttemptOptions, Probe } from "../probe.ts";
import { findPaginationInfo } from "../read/shapes.ts";
import { reception } from "../reception.ts";

/** Numbers of the pages to read after the first one: two at each end of a long list. */
export function furtherPages(first: unknown, profile: OperationProfile): number[] {
  const total = findPaginationInfo(first, profile)?.["totalPages"];
  if (typeof total !== "number" || !Number.isSafeInteger(total)) return [];
  return [...new Set([2, total - 1, total])].filter((page) => page > 1 && page <= total);
}

/** Asks for another page. */
export function atPage(page: number): Mutation {
  return {
    name: `page-${page}`,
    what: `the page is ${page}`,
    request: (spec) => ({ ...spec, path: addQuery(spec.path, `page=${page}`) }),
  };
}

/**
 * The first page of a collection and the others that are read of it: all of a short one, the first and last pages of a long
 * one. Pages that are not accepted are left out.
 * @param options those of the request for the first page
 */
export async function withFurtherPages(
  probe: Probe,
  first: Reply,
  profile: OperationProfile,
  options: AttemptOptions,
): Promise<Reply[]> {
  const further = await together(
    furtherPages(first.json(), profile).map((page) =>
      optional(probe.attempt(atPage(page), options)),
    ),
  );
  const replies = further.flatMap((next) => next?.reply ?? []);
  return [first, ...replies.filter((reply) => reception(reply) === "accepted")];
}

/**
 * Whether the pages of a collection that were read hold all its items.
 * @param items how many items the pages hold
 * @param info the PaginatedResultsInfo of the first page; `undefined` where it has none
 */
export function isWhole(
  pages: readonly Reply[],
  items: number,
  info: Readonly<Record<string, unknown>> | undefined,
): boolean {
  const { totalItems, totalPages, pageSize } = info ?? {};
  if (typeof totalPages === "number" && totalPages > pages.length) return false;
  if (typeof totalItems === "number") return items >= totalItems;
  if (typeof totalPages === "number") return true;
  return !(typeof pageSize === "number" && items >= pageSize) && !pages.some(hasNext);
}

/** Whether an answer announces more items: a link (RFC 8288 §3), or a member for the next page. */
function hasNext(reply: Reply): boolean {
  if (/\brel="?next\b/i.test(reply.headers["link"] ?? "")) return true;
  const body = reply.json();
  if (!isObject(body)) return false;
  const members = [body, ...Object.values(body).filter(isObject)].flatMap((one) =>
    Object.entries(one),
  );
  return members.some(
    ([name, value]) =>
      /^(?:next(?:_?(?:page|cursor|token|link|url))?|has_?(?:more|next)(?:_?page)?|cursor)$/i.test(
        name,
      ) && Boolean(value),
  );
}
