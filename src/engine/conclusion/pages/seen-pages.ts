import type { OperationId } from "../../../contract/operations.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { canonicalJson, isObject, parseJson } from "../../../lib/json.ts";
import type { AskedPage, InfoMember } from "../../../model/mistakes/pages/page.ts";
import { DEFAULT_PAGE_SIZE, INT32_MAX, readContent } from "../../../probe/pagination/page.ts";
import { findItems } from "../../../probe/read/items.ts";
import type { Target } from "../../../profile/target.ts";

/** A page that the run was shown. */
export interface SeenPage extends AskedPage {
  /** The id of its exchange. */
  readonly id: string;
  readonly operation: OperationId;
}

interface Answered extends Omit<SeenPage, "list"> {
  readonly of: string;
}

/**
 * The pages that the rules about pagination were shown, each with the whole list that it is of. Lists of which no page shows every item are
 * left out: their order is not known.
 */
export function seenPages(
  exchanges: readonly Exchange[],
  target: Pick<Target, "operations">,
): SeenPage[] {
  const answered = exchanges.flatMap((one) => answeredPage(one, target));
  return [...groupBy(answered, ({ of }) => of).values()].flatMap((pages) => {
    const list = wholeList(pages);
    return list ? pages.map((page) => ({ ...page, list })) : [];
  });
}

/** The items of the page that shows all that any page shows. */
function wholeList(pages: readonly Answered[]): readonly string[] | undefined {
  const all = new Set(pages.flatMap(({ items }) => items));
  const whole = pages.filter(
    ({ items }) => new Set(items).size === all.size && items.length === all.size,
  );
  const plain = whole.find(({ page }) => page === 1) ?? whole[0];
  return plain?.items;
}

function answeredPage(
  { id, caseId, operation, request, response }: Exchange,
  { operations }: Pick<Target, "operations">,
): Answered[] {
  if (!caseId.startsWith("pagination.") || operation === undefined || request.method !== "GET") {
    return [];
  }
  const profile = operations[operation];
  if (profile?.paginated !== true || response?.status !== 200 || response.truncated) return [];
  const url = new URL(request.url, "http://relative.example");
  const query = [...url.searchParams];
  const numbers = new Map(query.map(([name, value]) => [name, numberIn(value)]));
  const isAsked =
    numbers.size === query.length &&
    [...numbers].every(([name, value]) => /^page(?:Size)?$/.test(name) && value !== undefined);
  if (!isAsked) return [];
  const body = parseJson(response.body);
  const items = findItems(body, profile);
  if (!items) return [];
  return [
    {
      id,
      operation,
      of: `${url.pathname} ${askerOf(request.token?.claims)}`,
      page: numbers.get("page") ?? 1,
      pageSize: numbers.get("pageSize") ?? DEFAULT_PAGE_SIZE,
      given: { page: numbers.has("page"), pageSize: numbers.has("pageSize") },
      items: items.map((item) => canonicalJson(item)),
      info: numbersOf(readContent(body, profile).info),
    },
  ];
}

function numberIn(value: string): number | undefined {
  const number = /^[1-9]\d*$/.test(value) ? Number(value) : Number.NaN;
  return number <= INT32_MAX ? number : undefined;
}

const MEMBERS: readonly InfoMember[] = ["page", "pageSize", "totalItems", "totalPages"];

function numbersOf(info: Readonly<Partial<Record<InfoMember, unknown>>> = {}): AskedPage["info"] {
  return Object.fromEntries(
    MEMBERS.flatMap((name) => (typeof info[name] === "number" ? [[name, info[name]]] : [])),
  );
}

/** Claims that differ between two tokens of one subject. */
const OF_ONE_TOKEN: ReadonlySet<string> = new Set(["exp", "iat", "nbf", "jti"]);

/** The claims that are the same in every token of one subject. */
function askerOf(claims: unknown): string {
  const all = Object.entries(isObject(claims) ? claims : {});
  return canonicalJson(Object.fromEntries(all.filter(([name]) => !OF_ONE_TOKEN.has(name))));
}
