import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "../profile/document.ts";
import { mergedSchema, typesOf } from "./merge.ts";

const DEEPEST = 8;
/** The most values in one value, because each level may multiply those of the next. */
const MOST_VALUES = 2000;
const LONGEST_ARRAY = 20;
const LONGEST_TEXT = 1000;

/** An example text for each format. */
const FORMATS: Readonly<Record<string, string>> = {
  date: "2024-01-01",
  "date-time": "2024-01-01T00:00:00Z",
  time: "00:00:00Z",
  duration: "P1D",
  email: "conformance@example.com",
  "idn-email": "conformance@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com",
  url: "https://example.com",
  "uri-reference": "/conformance",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * A value that a schema probably allows, with the required members only. Constants, examples and defaults
 * of the schema come first. The caller must validate it if it needs to be sure. A value that would become
 * too large is incomplete.
 * @param whole a schema as `toJsonSchema` makes it
 */
export function smallestValue(whole: JsonSchema): unknown {
  let values = 0;
  const value = (schema: unknown, depth: number): unknown => {
    if (++values > MOST_VALUES) return null;
    const merged = mergedSchema(schema, whole);
    const given = givenValue(merged);
    if (given) return given.value;
    const type = likelyType(merged);
    if (type === "object") return depth > DEEPEST ? {} : objectOf(merged, depth);
    if (type === "array") return depth > DEEPEST ? [] : arrayOf(merged, depth);
    return scalarOf(type, merged);
  };

  function objectOf({ properties, required }: JsonSchema, depth: number): JsonSchema {
    const names = Array.isArray(required) ? required.filter((one) => typeof one === "string") : [];
    const schemas = isObject(properties) ? properties : {};
    return Object.fromEntries(names.map((name) => [name, value(schemas[name] ?? {}, depth + 1)]));
  }

  function arrayOf({ items, minItems = 0 }: JsonSchema, depth: number): unknown[] {
    const length = Math.min(Number(minItems), LONGEST_ARRAY);
    return Array.from({ length }, () => value(items ?? {}, depth + 1));
  }

  return value(whole, 0);
}

function givenValue(schema: JsonSchema): { readonly value: unknown } | undefined {
  if ("const" in schema) return { value: schema["const"] };
  const { enum: allowed, examples, default: usual } = schema;
  if (Array.isArray(allowed)) return { value: allowed[0] };
  // The example of an object has more members than necessary.
  if (likelyType(schema) === "object") return undefined;
  if (Array.isArray(examples) && examples.length > 0) return { value: examples[0] };
  return "default" in schema ? { value: usual } : undefined;
}

function likelyType(schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (types) return types.find((type) => type !== "null") ?? "null";
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) {
    return "object";
  }
  return "items" in schema || "minItems" in schema ? "array" : "string";
}

function scalarOf(type: unknown, schema: JsonSchema): unknown {
  switch (type) {
    case "boolean":
      return true;
    case "null":
      return null;
    case "integer":
    case "number":
      return numberOf(schema);
    default:
      return textOf(schema);
  }
}

function numberOf(schema: JsonSchema): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const least =
    typeof exclusiveMinimum === "number"
      ? exclusiveMinimum + 1
      : typeof minimum === "number"
        ? minimum
        : undefined;
  const most = typeof exclusiveMaximum === "number" ? exclusiveMaximum - 1 : maximum;
  const value = least ?? (typeof most === "number" ? Math.min(most, 1) : 1);
  return typeof multipleOf === "number" && multipleOf > 0
    ? Math.ceil(value / multipleOf) * multipleOf
    : value;
}

function textOf({ format, minLength, maxLength }: JsonSchema): string {
  const known = typeof format === "string" ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const least = Math.min(Number(minLength ?? 0), LONGEST_TEXT);
  const text = "conformance".padEnd(least, "x");
  return typeof maxLength === "number" ? text.slice(0, Math.max(maxLength, least)) : text;
}
