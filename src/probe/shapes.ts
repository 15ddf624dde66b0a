import type { OperationProfile } from "../profile/target.ts";

/** Finding things in answers whose shape the contract leaves open. */

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Levels below the root at which the items of a list are looked for. */
const ITEM_DEPTH = 4;
/** Levels below an item, or the root of an answer, at which the id of an organization is looked for. */
const ID_DEPTH = 3;

type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a UUID in the usual spelling, RFC 9562 §4. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value that a JSON Pointer names, RFC 6901, or `undefined`. */
export function atPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const raw of pointer.split("/").slice(1)) {
    const token = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, token)) {
      return undefined;
    }
    current = (current as Json)[token];
  }
  return current;
}

/** Names under which answers have what they list, with or without a prefix as in `hydra:member`. */
const ITEMS =
  /^(?:.*:)?(?:items?|data|results?|values?|records?|entries|contents?|list|rows|elements|resources|hits|edges|nodes|members?|organi[sz]ations?|orgs?|changes?|feed|revisions|ids)$/i;
/** Names under which answers have something beside it. */
const ASIDE = /^(?:_?links|errors|warnings|messages|included|meta|metadata|facets|filters|sort)$/i;

/**
 * The items of a list answer: where the profile points, else the array that looks most like them:
 * by its name, then one of objects before an empty one before any other, then the one nearest to
 * the root. `undefined` when there is no array.
 */
export function findItems(
  body: unknown,
  profile?: OperationProfile,
): readonly unknown[] | undefined {
  if (profile?.items !== undefined) {
    const items = atPointer(body, profile.items);
    return Array.isArray(items) ? items : undefined;
  }
  const arrays: { readonly array: readonly unknown[]; readonly rank: number }[] = [];
  let level: [name: string, value: unknown][] = [["items", body]];
  for (let depth = 0; depth <= ITEM_DEPTH && level.length > 0; depth++) {
    const members: [string, unknown][] = [];
    for (const [name, value] of level) {
      if (Array.isArray(value)) arrays.push({ array: value, rank: likeness(name, value) });
      else if (isObject(value) && !ASIDE.test(name)) members.push(...Object.entries(value));
    }
    level = members;
  }
  return arrays.toSorted((a, b) => b.rank - a.rank)[0]?.array;
}

function likeness(name: string, array: readonly unknown[]): number {
  const byName = ASIDE.test(name) ? 0 : ITEMS.test(name) ? 2 : 1;
  return byName * 3 + (array.some(isObject) ? 2 : array.length === 0 ? 1 : 0);
}

/**
 * The UUIDs that are the `id` of something in an item or an answer, the nearest first, in lower
 * case; an item that is a UUID and nothing else is its own. An array of one is looked into.
 */
export function organizationIds(value: unknown): string[] {
  if (isUuid(value)) return [value.toLowerCase()];
  return objectsWithin(value).flatMap(({ id }) => (isUuid(id) ? [id.toLowerCase()] : []));
}

/** The organization id that an item or an answer carries: the first of `organizationIds`. */
export function organizationId(value: unknown): string | undefined {
  return organizationIds(value)[0];
}

/**
 * The organizations that a list shows, or `undefined` when none can be recognised in it.
 * An empty list shows none, which is an answer.
 */
export function listedOrganizations(
  body: unknown,
  profile?: OperationProfile,
): readonly string[] | undefined {
  const items = findItems(body, profile);
  if (!items) return undefined;
  const ids = items.map(organizationId).filter((id) => id !== undefined);
  return ids.length > 0 || items.length === 0 ? ids : undefined;
}

/**
 * The organizations that a list shows; where no items can be recognised in it, because an empty list
 * has another shape, those of another list's that it mentions at all.
 * @param other a list in which organizations can be recognised
 */
export function shownOrganizations(
  list: { json(): unknown; readonly body: string },
  other: { json(): unknown },
  profile?: OperationProfile,
): readonly string[] | undefined {
  const text = list.body.toLowerCase();
  const known = listedOrganizations(other.json(), profile) ?? [];
  const mentioned = known.length > 0 ? known.filter((id) => text.includes(id)) : undefined;
  return listedOrganizations(list.json(), profile) ?? mentioned;
}

/** The members of PaginatedResultsInfo. */
export const INFO_MEMBERS = ["page", "pageSize", "totalItems", "totalPages"] as const;

/**
 * The PaginatedResultsInfo of an answer: where the profile points, else the object nearest to the
 * root that has an integer `page` and `pageSize`, else the nearest that has two of its four members,
 * whatever they are. `undefined` when there is none.
 */
export function findPaginationInfo(body: unknown, profile?: OperationProfile): Json | undefined {
  if (profile?.pagination !== undefined) {
    const info = atPointer(body, profile.pagination);
    return isObject(info) ? info : undefined;
  }
  const objects: Json[] = [];
  let level = [body].filter(isObject);
  for (let depth = 0; depth <= ITEM_DEPTH && level.length > 0; depth++) {
    objects.push(...level);
    level = level.flatMap((object) => Object.values(object)).filter(isObject);
  }
  return (
    objects.find(({ page, pageSize }) => Number.isInteger(page) && Number.isInteger(pageSize)) ??
    objects.find((object) => INFO_MEMBERS.filter((name) => name in object).length >= 2)
  );
}

/** The JSON Pointer of an object or array inside of `root`, found by identity; not into arrays. */
export function pointerTo(root: unknown, value: unknown): string | undefined {
  let level: [pointer: string, value: unknown][] = [["", root]];
  for (let depth = 0; depth <= ITEM_DEPTH && level.length > 0; depth++) {
    const found = level.find(([, one]) => one === value);
    if (found) return found[0];
    level = level.flatMap(([pointer, one]) =>
      isObject(one)
        ? Object.entries(one).map(([name, member]): [string, unknown] => [
            `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
            member,
          ])
        : [],
    );
  }
  return undefined;
}

/**
 * The organization that an answer shows: where the profile points, else the object with that id,
 * else the one nearest to the root that has an `id` at all, a UUID before any other, else the
 * answer itself.
 */
export function organizationOf(
  body: unknown,
  profile: OperationProfile | undefined,
  asked: string | undefined,
): unknown {
  const pointed =
    profile?.organization === undefined ? undefined : atPointer(body, profile.organization);
  if (pointed !== undefined) return pointed;
  const objects = objectsWithin(body).filter((object) => Object.hasOwn(object, "id"));
  return (
    objects.find(({ id }) => isUuid(id) && id.toLowerCase() === asked?.toLowerCase()) ??
    objects.find(({ id }) => isUuid(id)) ??
    objects[0] ??
    body
  );
}

/** The objects down to `ID_DEPTH` levels below a value, the nearest first; an array of one is looked into. */
function objectsWithin(value: unknown): Json[] {
  const found: Json[] = [];
  let level: unknown[] = [value];
  for (let depth = 0; depth <= ID_DEPTH && level.length > 0; depth++) {
    const objects = level
      .map((one) => (Array.isArray(one) && one.length === 1 ? (one[0] as unknown) : one))
      .filter(isObject);
    for (const object of objects) found.push(object);
    level = objects.flatMap((object) => Object.values(object));
  }
  return found;
}
