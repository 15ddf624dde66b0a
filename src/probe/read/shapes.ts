import { isSameUuid, isUuid } from "../../contract/uuid.ts";
import type { Reply } from "../../http/exchange.ts";
import { atPointer, pointerToken } from "../../lib/json-pointer.ts";
import { isObject, type JsonObject, parseJson, quoteLongIntegers } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";

/** Finds things in answers whose shape the contract leaves open. */

/** Levels below the root at which an object or array is searched. */
export const ROOT_DEPTH = 4;
/** Levels below an item or an answer at which an organization's id is searched. */
const ID_DEPTH = 3;

/**
 * The UUIDs that are the `id` of an object in an item or an answer, the nearest first, in lower case.
 * A bare UUID is its own id. The search enters an array of one element.
 */
export function organizationIds(value: unknown): string[] {
  if (isUuid(value)) return [value.toLowerCase()];
  return objectsWithin(value).flatMap(({ id }) => (isUuid(id) ? [id.toLowerCase()] : []));
}

/** The organization id of an item or an answer: the first of `organizationIds`. */
export function organizationId(value: unknown): string | undefined {
  return organizationIds(value)[0];
}

/**
 * Whether an answer shows the organization: its id is among `organizationIds`. Where these are none,
 * because the answer wraps the organization deeply, its id is searched at any depth.
 */
export function showsOrganization(answer: unknown, organization: string): boolean {
  const near = organizationIds(answer);
  return near.length > 0
    ? near.includes(organization.toLowerCase())
    : hasWithin(answer, organization);
}

function hasWithin(value: unknown, organization: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isObject(value) && isUuid(value["id"]) && isSameUuid(value["id"], organization)) return true;
  return Object.values(value).some((member) => hasWithin(member, organization));
}

/** The members of PaginatedResultsInfo. */
export const INFO_MEMBERS = ["page", "pageSize", "totalItems", "totalPages"] as const;

/**
 * The PaginatedResultsInfo of an answer: where the profile points; or else the object nearest to the
 * root that has an integer `page` and `pageSize`; or else the nearest that has two of the four
 * members with any value. `undefined` when there is none.
 */
export function findPaginationInfo(
  body: unknown,
  profile?: OperationProfile,
): JsonObject | undefined {
  if (profile?.pagination !== undefined) {
    const info = atPointer(body, profile.pagination);
    return isObject(info) ? info : undefined;
  }
  const objects: JsonObject[] = [];
  let level = [body].filter(isObject);
  for (let depth = 0; depth <= ROOT_DEPTH && level.length > 0; depth++) {
    for (const object of level) objects.push(object);
    level = level.flatMap((object) => Object.values(object)).filter(isObject);
  }
  return (
    objects.find(({ page, pageSize }) => Number.isInteger(page) && Number.isInteger(pageSize)) ??
    objects.find((object) => INFO_MEMBERS.filter((name) => name in object).length >= 2)
  );
}

/** The JSON Pointer of an object or array inside `root`, found by identity. Does not enter arrays. */
export function pointerTo(root: unknown, value: unknown): string | undefined {
  let level: [pointer: string, value: unknown][] = [["", root]];
  for (let depth = 0; depth <= ROOT_DEPTH && level.length > 0; depth++) {
    const found = level.find(([, one]) => one === value);
    if (found) return found[0];
    level = level.flatMap(([pointer, one]) =>
      isObject(one)
        ? Object.entries(one).map(([name, member]): [string, unknown] => [
            `${pointer}/${pointerToken(name)}`,
            member,
          ])
        : [],
    );
  }
  return undefined;
}

/**
 * The organization of an answer: where the profile points; or else the object with that id; or else
 * the object nearest to the root that has an `id`, a UUID before any other; or else the answer
 * itself.
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
    objects.find(({ id }) => isUuid(id) && isSameUuid(id, asked)) ??
    objects.find(({ id }) => isUuid(id)) ??
    objects[0] ??
    body
  );
}

/** The objects at most `ID_DEPTH` levels below a value, also in arrays of one, nearest first. */
export function objectsWithin(value: unknown): JsonObject[] {
  const found: JsonObject[] = [];
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

/** An integer may be too long for a number from 16 digits on. Each run of digits is searched once, however long it is. */
const LONG = /(?:^|\D)\d{16}/;

/**
 * The JSON of an answer, for reading ids. Integers that a number cannot hold exactly are strings of
 * their digits, because an id may be a 64-bit integer. All other values are those of `reply.json()`.
 */
export function exactJson(reply: Pick<Reply, "json" | "body">): unknown {
  const value = reply.json();
  if (value === undefined || !LONG.test(reply.body)) return value;
  return parseJson(quoteLongIntegers(reply.body)) ?? value;
}
