import { isUuid } from "../../contract/uuid.ts";
import type { Reply } from "../../http/exchange.ts";
import { atPointer, pointerToken } from "../../lib/json-pointer.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { findItems } from "./items.ts";
import { ID_MEMBERS } from "./keyed-records.ts";
import { exactJson } from "./shapes.ts";

/** Finds the ids of changes in records whose form the contract does not show. */

/** An id as it goes into a path, and its place: a JSON Pointer, or a header name. */
export interface FoundId {
  readonly id: string;
  readonly at: string;
  /** Whether it is the end of a URL, which may identify the change by another name than its record does. */
  readonly inUrl?: true;
}

/** Levels below an item or an answer at which a change's id is searched. */
const DEPTH = 3;
/** Names of other members that may identify a change. */
const LIKELY_MEMBER =
  /^(?:.*[_-])?(?:id|uuid|uid|guid|key|no|number|seq|sequence|ref|reference|identifier|revision|version)$|(?:Id|Uuid|Key|No|Number|Seq|Sequence|Ref|Reference)$/;
/** Names of members that wrap a record. Members beside the record belong to the envelope. */
const WRAPPER =
  /^(?:data|item|results?|records?|resource|node|changes?|revision|entry|value|attributes|payload|response|body|content|submission|proposal|request)$/i;
/** JSON Pointers of a record's link to itself, with the first member of each. */
const LINKS = ["/self", "/href", "/url", "/links/self", "/_links/self"].map((pointer) => ({
  member: pointer.split("/")[1] ?? "",
  pointer,
}));
const CHANGE_URL = /\/changes\/([^/?#]+)\/?(?:[?#]|$)/;

/**
 * The ids by which a change may be read, found in a record or an answer, the nearest to the root
 * first: id members, and the last segment of the record's own link. A bare string or number is its
 * own id. An id that is the URL of a change may also be read by its last segment.
 * @param organization the organization of the change; snapshots may hold its id, which is not a
 * change's
 */
export function changeIds(value: unknown, organization: string | undefined): FoundId[] {
  const found = idsIn(value, "");
  found.push(...recordsOf(value).flatMap(({ record, at }) => ownIds(record, at)));
  return distinct(found.filter(({ id }) => !sameId(id, organization)));
}

/** The objects in a record or an answer that may be the record itself, the nearest to the root first, and their places. */
function recordsOf(value: unknown): { readonly at: string; readonly record: JsonObject }[] {
  const found: { at: string; record: JsonObject }[] = [];
  let level: [at: string, value: unknown][] = [["", value]];
  for (let depth = 0; depth <= DEPTH && level.length > 0; depth++) {
    const wrapped: [string, unknown][] = [];
    for (const [at, one] of level) {
      if (Array.isArray(one) && one.length === 1) wrapped.push([`${at}/0`, one[0]]);
      if (!isObject(one)) continue;
      found.push({ at, record: one });
      const members = Object.entries(one);
      for (const [name, member] of members) {
        if (WRAPPER.test(name) || members.length === 1) {
          wrapped.push([`${at}/${pointerToken(name)}`, member]);
        }
      }
    }
    level = wrapped;
  }
  return found;
}

/**
 * Values that may be the id of a change whose record has no usual id member, such as its `sequence`. Whether one of them
 * is can only be found out by a read: where the deployment does not know it, that says nothing.
 */
export function likelyChangeIds(value: unknown, organization: string | undefined): string[] {
  const found = recordsOf(value).flatMap(({ record }) =>
    Object.entries(record).flatMap(([name, member]) =>
      LIKELY_MEMBER.test(name) ? (asId(member) ?? []) : [],
    ),
  );
  return [...new Set(found)].filter((id) => !sameId(id, organization));
}

/**
 * The ids by which a submitted change may be read, the most certain first: where the profile points,
 * or else `Location` (RFC 9110 §10.2.2, absolute or relative to the request) and then the body. An id
 * that occurs twice is returned twice.
 */
export function submittedChangeIds(
  reply: Pick<Reply, "json" | "body" | "headers"> & {
    readonly exchange: { readonly request: { readonly url: string } };
  },
  profile: OperationProfile | undefined,
  organization: string | undefined,
): FoundId[] {
  const body = exactJson(reply);
  if (profile?.id !== undefined) {
    const id = asId(atPointer(body, profile.id));
    if (id !== undefined) return [{ id, at: profile.id }];
  }
  const location = resolved(reply.headers["location"], reply.exchange.request.url);
  return [
    ...endOfUrl(location, "Location"),
    // A bare string may be a message such as "accepted".
    ...(typeof reply.json() === "string" && !isUuid(body) ? [] : changeIds(body, organization)),
  ];
}

/** The changes on a feed's page that have ids; `undefined` when no list is found. */
export function listedChanges(
  reply: Pick<Reply, "json" | "body">,
  profile: OperationProfile | undefined,
  organization: string | undefined,
): { readonly item: unknown; readonly ids: readonly FoundId[] }[] | undefined {
  return findItems(exactJson(reply), profile)
    ?.map((item) => ({ item, ids: changeIds(item, organization) }))
    .filter(({ ids }) => ids.length > 0);
}

/** Whether two ids are equal. UUIDs are compared without regard to case (RFC 9562 §4). */
export function sameId(a: string, b: string | undefined): boolean {
  return a === b || (a.length === 36 && a.toLowerCase() === b?.toLowerCase());
}

/** Whether an id occurs as a value anywhere in an answer. A record may have several names. */
export function mentionsId(value: unknown, id: string): boolean {
  const own = asId(value);
  if (own !== undefined) return sameId(own, id);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((member) => mentionsId(member, id));
}

function ownIds(record: Readonly<Record<string, unknown>>, at: string): FoundId[] {
  const members = ID_MEMBERS.flatMap((name) => idsIn(record[name], `${at}/${name}`));
  return [...members, ...linkedIds(record, at)];
}

function idsIn(value: unknown, at: string): FoundId[] {
  const id = asId(value);
  return id === undefined ? [] : [...endOfUrl(id, at), { id, at }];
}

/** The last segment of a record's own link, in HAL, JSON:API, or plain `self` and `href` members. */
function linkedIds(record: Readonly<Record<string, unknown>>, at: string): FoundId[] {
  return LINKS.flatMap(({ member, pointer }) => {
    if (!Object.hasOwn(record, member)) return [];
    const link = atPointer(record, pointer);
    return endOfUrl(isObject(link) ? link["href"] : link, at + pointer);
  });
}

/** Resolves a reference against the request's URL, RFC 9110 §10.2.2. */
function resolved(reference: string | undefined, base: string): string | undefined {
  return reference !== undefined && URL.canParse(reference, base)
    ? new URL(reference, base).href
    : reference;
}

/** The id at the end of a change's URL; empty where the value is no such URL. */
function endOfUrl(url: unknown, at: string): FoundId[] {
  const segment = typeof url === "string" ? CHANGE_URL.exec(url)?.[1] : undefined;
  if (segment === undefined) return [];
  try {
    return [{ id: decodeURIComponent(segment), at, inUrl: true }];
  } catch {
    return [{ id: segment, at, inUrl: true }];
  }
}

/** An id as a string. A number that JSON.parse may have rounded is not usable; see `exactJson`. */
function asId(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Each id once, at its first place that is no URL, if there is one. */
export function distinct(ids: readonly FoundId[]): FoundId[] {
  const found = new Map<string, FoundId>();
  for (const one of ids) {
    const known = found.get(one.id);
    // A map keeps the position of the first entry.
    if (!known || (known.inUrl && !one.inUrl)) found.set(one.id, one);
  }
  return [...found.values()];
}
