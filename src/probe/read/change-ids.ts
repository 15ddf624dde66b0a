import { isUuid } from "../../contract/uuid.ts";
import type { Reply } from "../../http/exchange.ts";
import { atPointer, pointerToken } from "../../lib/json-pointer.ts";
import { isObject } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { findItems } from "./items.ts";

/** Finding the ids of changes, whose records the contract does not show. */

/** An id as it goes into a path, and where it was found: a JSON Pointer, or a header. */
export interface FoundId {
  readonly id: string;
  readonly at: string;
}

/** Levels below an item, or the root of an answer, at which the id of a change is looked for. */
const DEPTH = 3;
/** Members that name a change, the surest first. */
const ID_MEMBERS = ["changeId", "change_id", "id"];
/** Names of members that wrap a record; what they are beside belongs to the envelope. */
const WRAPPER =
  /^(?:data|item|results?|records?|resource|node|changes?|revision|entry|value|attributes|payload|response|body|content|submission|proposal|request)$/i;
/** Where records have a link to themselves, and the first member on the way there. */
const LINKS = ["/self", "/href", "/url", "/links/self", "/_links/self"].map((pointer) => ({
  member: pointer.split("/")[1] ?? "",
  pointer,
}));
const CHANGE_URL = /\/changes\/([^/?#]+)\/?(?:[?#]|$)/;

/**
 * The ids that a record of a change, or an answer with one, may be read by, the nearest to the root
 * first: its members for that, and the end of its own link. An item that is a string or a number
 * and nothing else is its own.
 * @param organization the one whose change it is: its id is none of a change, though snapshots have it
 */
export function changeIds(value: unknown, organization: string | undefined): FoundId[] {
  const own = asId(value);
  const found: FoundId[] = own === undefined ? [] : [{ id: own, at: "" }];
  let level: [at: string, value: unknown][] = [["", value]];
  for (let depth = 0; depth <= DEPTH && level.length > 0; depth++) {
    const wrapped: [string, unknown][] = [];
    for (const [at, one] of level) {
      if (Array.isArray(one) && one.length === 1) wrapped.push([`${at}/0`, one[0]]);
      if (!isObject(one)) continue;
      found.push(...ownIds(one, at));
      const members = Object.entries(one);
      for (const [name, member] of members) {
        if (WRAPPER.test(name) || members.length === 1) {
          wrapped.push([`${at}/${pointerToken(name)}`, member]);
        }
      }
    }
    level = wrapped;
  }
  return distinct(found.filter(({ id }) => !sameId(id, organization)));
}

/**
 * The ids that a submitted change may be read by, the surest first: where the profile points, else
 * `Location` (RFC 9110 §10.2.2), absolute or relative to the request, then the body. An id that is found twice is
 * there twice.
 */
export function submittedChangeIds(
  reply: Pick<Reply, "json" | "headers"> & {
    readonly exchange: { readonly request: { readonly url: string } };
  },
  profile: OperationProfile | undefined,
  organization: string | undefined,
): FoundId[] {
  const body = reply.json();
  if (profile?.id !== undefined) {
    const id = asId(atPointer(body, profile.id));
    if (id !== undefined) return [{ id, at: profile.id }];
  }
  const located = idInUrl(resolved(reply.headers["location"], reply.exchange.request.url));
  return [
    ...(located === undefined ? [] : [{ id: located, at: "Location" }]),
    // A text on its own may as well say "accepted".
    ...(typeof body === "string" && !isUuid(body) ? [] : changeIds(body, organization)),
  ];
}

/** The ids of each change of a feed's page that has any; `undefined` when no list can be found. */
export function listedChanges(
  body: unknown,
  profile: OperationProfile | undefined,
  organization: string | undefined,
): { readonly item: unknown; readonly ids: readonly FoundId[] }[] | undefined {
  return findItems(body, profile)
    ?.map((item) => ({ item, ids: changeIds(item, organization) }))
    .filter(({ ids }) => ids.length > 0);
}

/** Whether two ids are the same; where both are UUIDs, case does not matter (RFC 9562 §4). */
export function sameId(a: string, b: string | undefined): boolean {
  return a === b || (a.length === 36 && a.toLowerCase() === b?.toLowerCase());
}

/** Whether an id is a value of an answer, wherever: records may have more names than one. */
export function mentionsId(value: unknown, id: string): boolean {
  const own = asId(value);
  if (own !== undefined) return sameId(own, id);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((member) => mentionsId(member, id));
}

function ownIds(record: Readonly<Record<string, unknown>>, at: string): FoundId[] {
  const members = ID_MEMBERS.flatMap((name) => {
    const id = asId(record[name]);
    return id === undefined ? [] : [{ id, at: `${at}/${name}` }];
  });
  return [...members, ...linkedIds(record, at)];
}

/** The end of a record's own link, as HAL, JSON:API and plain `self` or `href` members have it. */
function linkedIds(record: Readonly<Record<string, unknown>>, at: string): FoundId[] {
  return LINKS.flatMap(({ member, pointer }) => {
    if (!Object.hasOwn(record, member)) return [];
    const link = atPointer(record, pointer);
    const id = idInUrl(isObject(link) ? link["href"] : link);
    return id === undefined ? [] : [{ id, at: at + pointer }];
  });
}

/** A reference as it is meant: relative to what was asked for, RFC 9110 §10.2.2. */
function resolved(reference: string | undefined, base: string): string | undefined {
  return reference !== undefined && URL.canParse(reference, base)
    ? new URL(reference, base).href
    : reference;
}

function idInUrl(url: unknown): string | undefined {
  const segment = typeof url === "string" ? CHANGE_URL.exec(url)?.[1] : undefined;
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A number that JSON.parse may have rounded is no id that could be sent back. */
function asId(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Each id once, where it was found first. */
export function distinct(ids: readonly FoundId[]): FoundId[] {
  // Of several with one key a map keeps the place of the first and the value of the last.
  return [...new Map(ids.toReversed().map((one) => [one.id, one])).values()].toReversed();
}
