import type { OperationProfile } from "../profile/target.ts";

/** Finding things in answers whose shape the contract leaves open. */

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Levels below the root at which the items of a list are looked for. */
const ITEM_DEPTH = 4;

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

/**
 * The items of a list answer: where the profile points, else the array nearest to the root,
 * one of objects before an empty one before any other. `undefined` when there is no array.
 */
export function findItems(
  body: unknown,
  profile?: OperationProfile,
): readonly unknown[] | undefined {
  if (profile?.items !== undefined) {
    const items = atPointer(body, profile.items);
    return Array.isArray(items) ? items : undefined;
  }
  const arrays: (readonly unknown[])[] = [];
  let level: unknown[] = [body];
  for (let depth = 0; depth <= ITEM_DEPTH && level.length > 0; depth++) {
    for (const value of level) if (Array.isArray(value)) arrays.push(value);
    level = level.filter(isObject).flatMap((object) => Object.values(object));
  }
  return (
    arrays.find((array) => array.some(isObject)) ??
    arrays.find((array) => array.length === 0) ??
    arrays[0]
  );
}

/**
 * The organization id that an item or an answer carries: the nearest `id` that is a UUID,
 * in lower case, or `undefined` when it carries none within two levels.
 */
export function organizationId(value: unknown): string | undefined {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= 2; depth++) {
    for (const object of level.filter(isObject)) {
      if (isUuid(object["id"])) return object["id"].toLowerCase();
    }
    level = level.filter(isObject).flatMap((object) => Object.values(object));
  }
  return undefined;
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

/** The identifier of a change record: `id`, else `changeId`, as it goes into a path. */
export function changeIdOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  for (const name of ["id", "changeId"]) {
    const id = value[name];
    if ((typeof id === "string" && id !== "") || typeof id === "number") return String(id);
  }
  return undefined;
}

/**
 * The identifier of a submitted change: where the profile points, else in the body, bare or one
 * level down, else the last segment of `Location` (RFC 9110 §10.2.2), absolute or relative.
 */
export function submittedChangeId(
  reply: { json(): unknown; headers: Readonly<Record<string, string>> },
  profile?: OperationProfile,
): string | undefined {
  const body = reply.json();
  if (profile?.id !== undefined) {
    const id = atPointer(body, profile.id);
    if (typeof id === "string" || typeof id === "number") return String(id);
  }
  const location = reply.headers["location"];
  const located = location === undefined ? undefined : lastSegment(location);
  if (located !== undefined) return located;
  const nested = isObject(body) ? Object.values(body).map(changeIdOf) : [];
  return changeIdOf(body) ?? nested.find((id) => id !== undefined);
}

function lastSegment(location: string): string | undefined {
  const path = location.split(/[?#]/, 1)[0] ?? "";
  const segment = path.replace(/\/+$/, "").split("/").at(-1);
  if (!segment || !path.includes("/changes/")) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
