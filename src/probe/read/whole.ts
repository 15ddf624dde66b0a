import type { Reply } from "../../http/exchange.ts";
import { isObject } from "../../lib/json.ts";

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
