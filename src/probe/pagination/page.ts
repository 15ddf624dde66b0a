import { createHash } from "node:crypto";

import type { Reply } from "../../http/exchange.ts";
import { atPointer } from "../../lib/json-pointer.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import type { Evidence } from "../finding.ts";
import { changeIds } from "../read/change-ids.ts";
import { findItems, hasItemsElsewhere, locateItems } from "../read/items.ts";
import { findPaginationInfo, organizationId, pointerTo } from "../read/shapes.ts";

type Json = Readonly<Record<string, unknown>>;

/** PaginatedResultsInfo as an answer carries it; its numbers where they are integers. */
export interface Info {
  /** Its members, and those beside them; of what is no text, number or literal only the kind. */
  readonly object: Json;
  /** False where the object holds the items too, so that its other members are the answer's own. */
  readonly alone: boolean;
  readonly page: number | undefined;
  readonly pageSize: number | undefined;
  readonly totalItems: number | undefined;
  readonly totalPages: number | undefined;
}

/** What an answer shows of a collection. */
export interface PageContent {
  /** `undefined` where no array of items can be recognised. */
  readonly items: readonly unknown[] | undefined;
  readonly info: Info | undefined;
}

/** The answer to one request for a page, accepted or not. A run keeps many: they hold facts, and no answer as a whole. */
export interface Page extends Pick<PageContent, "info"> {
  /** The query that it answers, without the question mark. */
  readonly query: string;
  readonly reply: Pick<Reply, "exchange" | "status" | "headers" | "cut">;
  readonly evidence: Evidence;
  /** `undefined` where no array of items can be recognised. */
  readonly items: PageItems | undefined;
  /** JSON Pointer of the items, where it is certain; see `pointerOfItems`. */
  readonly pointer: string | undefined;
  /** True where it is a guess which arrays hold the items. */
  readonly guessed: boolean;
  /** Where an object like PaginatedResultsInfo is, wherever the profile points. */
  readonly infoAt: string | undefined;
}

/** The items of a page. */
export interface PageItems {
  /** How many there are. */
  readonly length: number;
  /** What the first `MOST_KEYS` of them are told apart by, in their order. */
  readonly keys: readonly string[];
}

/** Items whose keys are kept of a page: more than are ever asked for where keys are compared. */
export const MOST_KEYS = 1000;
/** Keys are ids, or digests of what is longer than any id. */
const LONGEST_KEY = 100;

/**
 * Reads an answer of a collection.
 * @param itemsAt JSON Pointer of the items, where an answer has shown them; what is not there on
 *   another page, or is null, is no items; where things with ids are elsewhere on it, its items
 *   cannot be recognised
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
 * The JSON Pointer of the items of an answer, where it is certain: the profile points to an array,
 * or they are objects and nothing else may be the items.
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
 * What items are told apart by: an id, else all that they hold. Ids need not be unique, a patch and
 * a snapshot may share one; so keys are to be counted, not collected into a set.
 * @param organization whose items they are; its own id tells nothing apart
 */
export function keysOf(items: readonly unknown[], organization?: string): string[] {
  return items.map(
    (item) =>
      changeIds(item, organization)[0]?.id ??
      (organization === undefined ? organizationId(item) : undefined) ??
      canonicalJson(item),
  );
}

/** What is kept of the items of a page. */
export function itemsOnPage(items: readonly unknown[], organization?: string): PageItems {
  const keys = keysOf(items.slice(0, MOST_KEYS), organization);
  return { length: items.length, keys: keys.map(shortened) };
}

/** The keys of a page's items; none where it has none. */
export function keysOn({ items }: Page): readonly string[] {
  return items?.keys ?? [];
}

function shortened(key: string): string {
  return key.length > LONGEST_KEY ? createHash("sha256").update(key).digest("base64") : key;
}

/** An object with empty ones in place of the objects and arrays in it. */
function outline(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      Array.isArray(member) ? [] : isObject(member) ? {} : member,
    ]),
  );
}

/** How often each key is in `these` and not in `others`; empty when there is none. */
export function surplus(these: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const key of others) counts.set(key, (counts.get(key) ?? 0) + 1);
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
  const items = atPointer(body, itemsAt);
  return Array.isArray(items) ? items : (items ?? undefined) === undefined ? [] : undefined;
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}
