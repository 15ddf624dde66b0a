import { createHash } from "node:crypto";

import type { OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { countEach } from "../../lib/group-by.ts";
import { atPointer } from "../../lib/json-pointer.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import { addQuery } from "../../lib/uri.ts";
import { combine, type Mutation } from "../../mutations/mutation.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import type { Evidence } from "../finding.ts";
import { countFact, type Fact, type Phrase, phrase } from "../phrase.ts";
import type { Attempt, Probe } from "../probe.ts";
import { changeIds } from "../read/change-ids.ts";
import { findItems, hasItemsElsewhere, locateItems } from "../read/items.ts";
import { recordsIn } from "../read/keyed-records.ts";
import { exactJson, findPaginationInfo, organizationId, pointerTo } from "../read/shapes.ts";
import { describeReply, reception } from "../reception.ts";

type Json = Readonly<Record<string, unknown>>;

/** PaginatedResultsInfo of an answer. Its numbers are set where they are integers. */
export interface Info {
  /** Its members and those beside them. Objects and arrays are replaced by empty ones. */
  readonly object: Json;
  /** False where the object also holds the items, so that its other members belong to the answer. */
  readonly alone: boolean;
  readonly page: number | undefined;
  readonly pageSize: number | undefined;
  readonly totalItems: number | undefined;
  readonly totalPages: number | undefined;
}

/** What an answer shows of a collection. */
export interface PageContent {
  /** `undefined` where no array of items is recognised. */
  readonly items: readonly unknown[] | undefined;
  readonly info: Info | undefined;
}

/** The answer to one page request. A run keeps many of these, so they hold no whole answer. */
export interface Page extends Pick<PageContent, "info"> {
  /** The query without the question mark. */
  readonly query: string;
  readonly reply: Pick<Reply, "exchange" | "status" | "headers" | "cut">;
  readonly evidence: Evidence;
  /** `undefined` where no array of items is recognised. */
  readonly items: PageItems | undefined;
  /** JSON Pointer of the items where it is certain; see `pointerOfItems`. */
  readonly pointer: string | undefined;
  /** Whether it is a guess which arrays hold the items. */
  readonly guessed: boolean;
  /** Whether an object holds the items by their ids, so that they have no order. */
  readonly keyed: boolean;
  /** JSON Pointer of an object like PaginatedResultsInfo, whatever the profile says. */
  readonly infoAt: string | undefined;
  readonly isJson: boolean;
}

/** The items of a page. */
export interface PageItems {
  readonly length: number;
  /** The keys of the first `MOST_KEYS` items, in their order; see `keysOf`. */
  readonly keys: readonly string[];
}

/** The most keys that are kept of a page. No rule that compares keys asks for more items. */
export const MOST_KEYS = 1000;
/** Longer keys are replaced by a digest. Ids are shorter. */
const LONGEST_KEY = 100;

/**
 * Reads an answer of a collection.
 * @param itemsAt JSON Pointer of the items, as an earlier answer showed it. A missing or null value
 * there means no items. If another array holds objects with ids, the items are not recognised.
 */
export function readContent(
  body: unknown,
  profile: OperationProfile | undefined,
  itemsAt?: string,
): PageContent {
  const object = findPaginationInfo(body, profile);
  const items = itemsOf(body, profile, itemsAt);
  if (!object) return { items, info: undefined };
  const itemsPointer = itemsAt ?? pointerOfItems(body, profile);
  const pointer = pointerTo(body, object) ?? "";
  return {
    items,
    info: {
      object: outline(object),
      alone: itemsPointer === undefined ? pointer !== "" : !isWithin(itemsPointer, pointer),
      page: integer(object["page"]),
      pageSize: integer(object["pageSize"]),
      totalItems: integer(object["totalItems"]),
      totalPages: integer(object["totalPages"]),
    },
  };
}

/**
 * The JSON Pointer of the items where it is certain: the profile points to an array, or the items are
 * objects and no other array may be the items.
 */
export function pointerOfItems(
  body: unknown,
  profile: OperationProfile | undefined,
): string | undefined {
  const { items = [], at = [], guessed = false } = locateItems(body, profile) ?? {};
  const certain = profile?.items !== undefined || (!guessed && items.some(isObject));
  return certain ? at[0] : undefined;
}

/**
 * The keys by which items are compared: the id, or else all content. Ids need not be unique, because
 * a patch and a snapshot may share one, so count keys instead of collecting them in a set.
 * @param organization the organization of the items; its own id is not used as a key
 */
export function keysOf(items: readonly unknown[], organization?: string): string[] {
  return items.map(
    (item) =>
      changeIds(item, organization)[0]?.id ??
      (organization === undefined ? organizationId(item) : undefined) ??
      canonicalJson(item),
  );
}

/** The part of a page's items that is kept. */
function itemsOnPage(items: readonly unknown[], organization?: string): PageItems {
  const keys = keysOf(items.slice(0, MOST_KEYS), organization);
  return { length: items.length, keys: keys.map(shortened) };
}

/** The keys of a page's items; empty where it has none. */
export function keysOn({ items }: Page): readonly string[] {
  return items?.keys ?? [];
}

function shortened(key: string): string {
  return key.length > LONGEST_KEY ? createHash("sha256").update(key).digest("base64") : key;
}

/** Copies an object, with objects and arrays in it replaced by empty ones. */
function outline(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      Array.isArray(member) ? [] : isObject(member) ? {} : member,
    ]),
  );
}

/** The keys of `these` that exceed their count in `others`. */
export function surplus(these: readonly string[], others: readonly string[]): string[] {
  const counts = countEach(others);
  return these.filter((key) => {
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left <= 0;
  });
}

function itemsOf(
  body: unknown,
  profile: OperationProfile | undefined,
  itemsAt: string | undefined,
): readonly unknown[] | undefined {
  if (itemsAt === undefined) return findItems(body, profile);
  if (body === undefined || hasItemsElsewhere(body, profile, itemsAt)) return undefined;
  return recordsIn(atPointer(body, itemsAt) ?? []);
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** The collection that is asked for pages, and where its items are, if known. */
export interface Source {
  readonly operation: OperationId;
  /** JSON Pointer; `undefined` until an answer has shown items. */
  readonly itemsAt: string | undefined;
  /** Whose unbound token asks for it, as what differs from the good one. Default: the good token. */
  readonly as?: Mutation | undefined;
  /** The organization in the path. Default: the primary one. */
  readonly organization?: string | undefined;
}

/** The default page size, clause "PaginatedQueryParams". */
export const DEFAULT_PAGE_SIZE = 100;
/** The largest `page` and `pageSize`, an int32. */
export const INT32_MAX = 2_147_483_647;

/** A `page` and a `pageSize` that are asked for. */
export type Asked = readonly [page: number, pageSize: number];

/** How a page is asked for. */
export interface AskOptions {
  /** Sends the request again even if the answer is known. Default: false. */
  readonly fresh?: boolean;
  /** Requires a bound or an unbound token. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** The organization in the path or, for the list, of a bound token. Default: the primary one. It needs `fresh`. */
  readonly organization?: string | undefined;
}

const NO_QUERY: Mutation = { name: "no-query", what: "there is no query" };

/**
 * Sends the good request of a collection with a query, at most once in a run.
 * @param query without the question mark; empty for no query
 * @throws CaseEnd where no good request is accepted
 */
export function ask(
  probe: Probe,
  { operation, itemsAt, as, organization: own }: Source,
  query: string,
  { fresh = false, bound = as && false, organization = own }: AskOptions = {},
): Promise<Page> {
  const setup = async (sender: Probe): Promise<Page> => {
    const asked = query === "" ? NO_QUERY : withQuery(query);
    const mutation = as ? combine(as, asked) : asked;
    const attempt = await sender.attempt(mutation, { operation, bound, organization });
    return pageOf(attempt, query, sender.target.operations[operation], itemsAt);
  };
  return fresh
    ? setup(probe)
    : probe.use({ name: `page ${nameOf({ operation, as })}?${query}`, scope: "run", setup });
}

/** What fixtures call a collection: its operation, and who asks for it where that is not the subject of the profile. */
export function nameOf({ operation, as }: Pick<Source, "operation" | "as">): string {
  return as ? `${operation} as ${as.name}` : operation;
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
