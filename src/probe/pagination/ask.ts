import type { OperationId } from "../../contract/operations.ts";
import { addQuery } from "../../lib/uri.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { countFact, type Fact, type Phrase, phrase } from "../phrase.ts";
import type { Attempt, Probe } from "../probe.ts";
import { exactJson } from "../read/exact-json.ts";
import { locateItems } from "../read/items.ts";
import { findPaginationInfo, pointerTo } from "../read/shapes.ts";
import { describeReply, reception } from "../reception.ts";
import { itemsOnPage, type Page, pointerOfItems, readContent } from "./page.ts";

/** The collection that is asked for pages, and where its items are, if known. */
export interface Source {
  readonly operation: OperationId;
  /** JSON Pointer; `undefined` until an answer has shown items. */
  readonly itemsAt: string | undefined;
}

/** The default page size, clause "PaginatedQueryParams". */
export const DEFAULT_PAGE_SIZE = 100;
/** The largest `page` and `pageSize`, an int32. */
export const INT32_MAX = 2_147_483_647;

const NO_QUERY: Mutation = { name: "no-query", what: "there is no query" };

/**
 * Sends the good request of a collection with a query, at most once in a run.
 * @param query without the question mark; empty for no query
 * @param options.fresh sends it again even if the answer is known
 * @param options.bound requires a bound or an unbound token; default: whichever is accepted
 * @param options.organization the organization in the path or, for the list, of a bound token; default: the primary one. It
 * needs `fresh`.
 * @throws CaseEnd where no good request is accepted
 */
export function ask(
  probe: Probe,
  { operation, itemsAt }: Source,
  query: string,
  {
    fresh = false,
    bound,
    organization,
  }: { fresh?: boolean; bound?: boolean; organization?: string } = {},
): Promise<Page> {
  const setup = async (sender: Probe): Promise<Page> => {
    const mutation = query === "" ? NO_QUERY : withQuery(query);
    const attempt = await sender.attempt(mutation, { operation, bound, organization });
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
  const exact = exactJson(reply);
  const { items, info } = readContent(body, profile, itemsAt);
  const exactItems = exact === body ? items : readContent(exact, profile, itemsAt).items;
  const located = locateItems(body, profile);
  const anyInfo = findPaginationInfo(body);
  return {
    query,
    reply: { exchange, status, headers, cut },
    evidence,
    items: exactItems && itemsOnPage(exactItems, control.place.organization),
    info,
    pointer: pointerOfItems(body, profile),
    guessed: located?.guessed ?? false,
    keyed: located?.keyed ?? false,
    infoAt: anyInfo && pointerTo(body, anyInfo),
    isJson: body !== undefined,
  };
}

/** The query for a page, in the contract's parameters. */
export function queryOf(page: number, pageSize: number): string {
  return `page=${page}&pageSize=${pageSize}`;
}

/** A mutation that adds a query to a good request. */
export function withQuery(query: string): Mutation {
  return {
    name: "query",
    what: `the query is ${query}`,
    request: (spec) => ({
      ...spec,
      path: addQuery(spec.path, query),
    }),
  };
}

/** Whether a page was accepted and its answer is complete. */
export function isReadable({ reply }: Page): boolean {
  return reception(reply) === "accepted" && !reply.cut;
}

/** An answer in short: its query, its status, and the number of items or that it was too long. */
export function describePage({ query, reply, items }: Page): Phrase {
  const asked = phrase`${{ kind: "query", query }}: ${describeReply(reply)}`;
  if (reply.cut) return phrase`${asked}, too long to read`;
  return items && reception(reply) === "accepted"
    ? phrase`${asked}, ${counted(items.length)}`
    : asked;
}

/** A count of items: "1 item", "2 items". */
export function counted(items: number): Fact {
  return countFact(items, "item");
}
