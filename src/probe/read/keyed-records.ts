import { isUuid } from "../../contract/uuid.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** Records in an object whose member names are their ids, in place of an array. */

const ID_MEMBERS = ["id", "changeId", "change_id"];
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
 * The records of an array, or of an object that holds them by their ids; `undefined` for another value.
 * A record without an id gets the name of its member as `id`.
 */
export function recordsIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const records = Object.entries(value);
  return records.every(([, record]) => isObject(record))
    ? records.map(([id, record]) =>
        hasId(record as JsonObject) ? record : { id, ...(record as object) },
      )
    : undefined;
}

function isNamedById([name, record]: [name: string, record: unknown]): boolean {
  return isObject(record) && ID_MEMBERS.some((id) => String(record[id]) === name);
}
