import { isUuid } from "../../contract/uuid.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** Records beside their ids: in an object whose member names are these, or in pairs of an id and a record. */

/** Members that may hold the id of a change, the most certain first. */
export const ID_MEMBERS: readonly string[] = ["changeId", "change_id", "id"];
const INTEGER = /^-?\d+$/;

/** Whether an object has an id of its own. */
export function hasId(object: JsonObject): boolean {
  return ID_MEMBERS.some((name) => ["string", "number"].includes(typeof object[name]));
}

/**
 * Whether a value is an object of records by id: each member's name is the id of the object that it
 * holds, or all names, at least two, are UUIDs or integers.
 */
export function isKeyedById(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const members = Object.entries(value);
  if (members.length === 0 || !members.every(([, record]) => isObject(record))) return false;
  return (
    members.every(isNamedById) ||
    (members.length > 1 && members.every(([name]) => isUuid(name) || INTEGER.test(name)))
  );
}

/**
 * The records of an array, of an array of pairs of an id and a record, or of an object that holds them by their ids;
 * `undefined` for another value. A record without an id gets the one beside it as `id`.
 */
export function recordsIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.every(isPair) ? items.map(identified) : items;
  }
  if (!isObject(value)) return undefined;
  const records: readonly unknown[] = Object.entries(value);
  return records.every(isPair) ? records.map(identified) : undefined;
}

type Pair = readonly [id: string | number, record: JsonObject];

function isPair(value: unknown): value is Pair {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [id, record] = value as readonly unknown[];
  return (typeof id === "string" || Number.isSafeInteger(id)) && isObject(record);
}

function identified([id, record]: Pair): JsonObject {
  return hasId(record) ? record : { id, ...record };
}

function isNamedById([name, record]: [name: string, record: unknown]): boolean {
  return isObject(record) && ID_MEMBERS.some((id) => String(record[id]) === name);
}
