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
  const schema = text.startsWith("{") ? parseJson(text) : undefined;
  return isObject(schema) && "type" in schema ? [...new Set(within(schema, ""))] : undefined;
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
