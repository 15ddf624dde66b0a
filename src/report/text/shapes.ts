import { isObject, type JsonObject, parseJson } from "../../lib/json.ts";

/**
 * Values that differ, as people can tell them apart. A JSON Schema becomes the members in which it differs from the others;
 * every other value stays as it is.
 */
export function toldApart<T extends string | null>(values: readonly T[]): (T | string)[] {
  const members = values.map((value) => (value === null ? undefined : membersOf(value)));
  const known = members.flatMap((some) => some ?? []);
  if (known.length === 0) return [...values];
  const schemas = members.filter((some) => some !== undefined).length;
  const isShared = (member: string): boolean =>
    known.filter((other) => other === member).length === schemas;
  return values.map((value, at) => {
    const own = members[at]?.filter((member) => !isShared(member));
    if (own === undefined) return value;
    return own.length === 0 ? "only the members that all have" : own.join(", ");
  });
}

/** The members that a JSON Schema describes, each with its type: `data.id string`. `undefined` for another text. */
function membersOf(text: string): string[] | undefined {
  const schema = schemaIn(text);
  return schema && [...new Set(within(schema, ""))];
}

function schemaIn(text: string): JsonObject | undefined {
  const schema = text.startsWith("{") ? parseJson(text) : undefined;
  return isObject(schema) && "type" in schema ? schema : undefined;
}

function within(schema: JsonObject, path: string): string[] {
  const { type, format, properties, items } = schema;
  const kind = [type, format].flat().filter((one) => typeof one === "string");
  return [
    ...(path === "" ? [] : [`${path} ${kind.join(" ")}`.trimEnd()]),
    ...(isObject(items) ? within(items, `${path}[]`) : []),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, one]) =>
      isObject(one) ? within(one, path === "" ? name : `${path}.${name}`) : [],
    ),
  ];
}

/** A JSON Schema in a short form: `{ data: { id: uuid, tags: [string] } }`. Another text stays as it is. */
export function inShortForm(text: string): string {
  const schema = schemaIn(text);
  return schema ? shortShape(schema) : text;
}

function shortShape({ type, format, properties, items }: JsonObject): string {
  const types = [type].flat().filter((one) => typeof one === "string");
  const forms = types.map((one) => {
    if (one === "object" && isObject(properties)) return objectShape(properties);
    if (one === "array" && isObject(items)) return `[${shortShape(items)}]`;
    return one === "string" && typeof format === "string" ? format : one;
  });
  return forms.length === 0 ? "unknown" : forms.join(" | ");
}

function objectShape(properties: JsonObject): string {
  const all = Object.entries(properties).map(
    ([name, one]) => `${name}: ${isObject(one) ? shortShape(one) : "unknown"}`,
  );
  return all.length === 0 ? "{}" : `{ ${all.join(", ")} }`;
}
