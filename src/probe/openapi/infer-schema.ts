import { isUuid } from "../../contract/uuid.ts";
import { isObject } from "../../lib/json.ts";

/** The part of a JSON Schema that can be inferred from a few values. */
export interface InferredSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, InferredSchema>>;
  readonly items?: InferredSchema;
}

/** The levels of members that are described. */
const LEVELS = 2;
const MOST_MEMBERS = 20;
const LONGEST_NAME = 40;
const MOST_ITEMS = 5;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * Describes a JSON value as JSON Schema 2020-12: types, the formats uuid and date-time, and members
 * down to two levels below the root. Arrays do not count as a level. Shows no value. Looks at the first
 * five items of an array and describes the first twenty members of an object, sorted by name.
 */
export function inferSchema(value: unknown): InferredSchema {
  return schemaOf([value], LEVELS);
}

/** A schema for the values of both schemas. The order of the two does not matter. */
export function eitherSchema(one: InferredSchema, other: InferredSchema): InferredSchema {
  const types = [...new Set([one.type ?? [], other.type ?? []].flat())].toSorted();
  const [type] = types;
  // A schema without a type has seen no value.
  const formats = [one, other].filter((schema) => schema.type !== undefined);
  const format = new Set(formats.map((schema) => schema.format)).size === 1 && formats[0]?.format;
  const properties = bothOf(one.properties, other.properties);
  const items = one.items && other.items ? eitherSchema(one.items, other.items) : undefined;
  return {
    ...(type !== undefined && { type: types.length === 1 ? type : types }),
    ...(format && { format }),
    ...(properties && { properties }),
    ...((items ?? one.items ?? other.items) && { items: items ?? one.items ?? other.items }),
  };
}

function bothOf(
  one: InferredSchema["properties"],
  other: InferredSchema["properties"],
): InferredSchema["properties"] {
  if (!one || !other) return one ?? other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names]
      .toSorted()
      .slice(0, MOST_MEMBERS)
      .map((name) => [name, eitherSchema(one[name] ?? {}, other[name] ?? {})]),
  );
}

function schemaOf(values: readonly unknown[], levels: number): InferredSchema {
  const types = [...new Set(values.map(typeOf))].toSorted();
  const [type] = types;
  const format = formatOf(values);
  const objects = values.filter(isObject);
  const arrays = values.filter((value) => Array.isArray(value));
  return {
    ...(type !== undefined && { type: types.length === 1 ? type : types }),
    ...(format !== undefined && { format }),
    ...(objects.length > 0 && levels > 0 && { properties: propertiesOf(objects, levels - 1) }),
    ...(arrays.length > 0 && {
      items: schemaOf(
        arrays.flatMap((array) => array.slice(0, MOST_ITEMS)),
        levels,
      ),
    }),
  };
}

function propertiesOf(
  objects: readonly Readonly<Record<string, unknown>>[],
  levels: number,
): Record<string, InferredSchema> {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return Object.fromEntries(
    names
      .slice(0, MOST_MEMBERS)
      .toSorted()
      .map((name) => {
        const values = objects.filter((object) => Object.hasOwn(object, name)).map((o) => o[name]);
        return [name.slice(0, LONGEST_NAME), schemaOf(values, levels)];
      }),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function formatOf(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return undefined;
  if (values.every(isUuid)) return "uuid";
  return values.every((value) => typeof value === "string" && DATE_TIME.test(value))
    ? "date-time"
    : undefined;
}
