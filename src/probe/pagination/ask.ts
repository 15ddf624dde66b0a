import type { OperationId } from "../../contract/operations.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { countFact, type Fact, type Phrase, phrase } from "../phrase.ts";
import type { Attempt, Probe } from "../probe.ts";
import { locateItems } from "../read/items.ts";
import { findPaginationInfo, pointerTo } from "../read/shapes.ts";
import { describeReply, reception } from "../reception.ts";
import { itemsOnPage, type Page, pointerOfItems, readContent } from "./page.ts";

/** What is asked for pages, and where its items are, as far as that is known. */
export interface Source {
  readonly operation: OperationId;
  /** JSON Pointer; `undefined` while no answer has shown any items. */
  readonly itemsAt: string | undefined;
}

/** Items on a page where the request does not say, clause "PaginatedQueryParams". */
export const DEFAULT_PAGE_SIZE = 100;
/** The greatest `page` and `pageSize`, an int32. */
export const INT32_MAX = 2_147_483_647;

const NO_QUERY: Mutation = { name: "no-query", what: "there is no query" };

/**
 * Sends the good request of a collection with a query, empty for none, once in a run.
 * @param options.fresh sends it again, whatever is known
 * @param options.bound only a bound or only an unbound token serves; default: whichever is accepted
 * @throws CaseEnd where no good request is accepted
 */
export function ask(
  probe: Probe,
  { operation, itemsAt }: Source,
  query: string,
  { fresh = false, bound }: { fresh?: boolean; bound?: boolean } = {},
): Promise<Page> {
  const setup = async (sender: Probe): Promise<Page> => {
    const mutation = query === "" ? NO_QUERY : withQuery(query);
    const attempt = await sender.attempt(mutation, { operation, bound });
    return pageOf(attempt, query, sender.target.operations[operation], itemsAt);
  };
  return fresh
    ? setup(probe)
    : probe.use({ name: `page ${operation}?${query}`, scope: "run", setup });
}

function pageOf(
  { reply, evidence, control }: Attempt,
  query: string,
  profile: OperationProfile | undefined,
  itemsAt: string | undefined,
): Page {
  const { exchange, status, headers, cut } = reply;
  const body = reply.json();
  const { items, info } = readContent(body, profile, itemsAt);
  const anyInfo = findPaginationInfo(body);
  return {
    query,
    reply: { exchange, status, headers, cut },
    evidence,
    items: items && itemsOnPage(items, control.place.organization),
    info,
    pointer: pointerOfItems(body, profile),
    guessed: locateItems(body, profile)?.guessed ?? false,
    infoAt: anyInfo && pointerTo(body, anyInfo),
  };
}

/** The query for a page, in the contract's parameters. */
export function queryOf(page: number, pageSize: number): string {
  return `page=${page}&pageSize=${pageSize}`;
}

/** The mutation to a good request that adds a query. */
export function withQuery(query: string): Mutation {
  return {
    name: "query",
    what: `the query is ${query}`,
    request: (spec) => ({
      ...spec,
      path: `${spec.path}${spec.path.includes("?") ? "&" : "?"}${query}`,
    }),
  };
}

/** Whether a page was asked for with success, and its answer is whole. */
export function isReadable({ reply }: Page): boolean {
  return reception(reply) === "accepted" && !reply.cut;
}

/** An answer in a few words: its query, its status, how many items it has, or that it was too long. */
export function describePage({ query, reply, items }: Page): Phrase {
  const asked = phrase`${{ kind: "query", query }}: ${describeReply(reply)}`;
  if (reply.cut) return phrase`${asked}, too long to read`;
  return items && reception(reply) === "accepted"
    ? phrase`${asked}, ${counted(items.length)}`
    : asked;
}

/** "1 item", "2 items". */
export function counted(items: number): Fact {
  return countFact(items, "item");
}
