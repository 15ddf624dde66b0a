import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "../profile/document.ts";
import { localTarget } from "./references.ts";

/**
 * A schema's keywords merged with those of the schemas that it consists of: `$ref`, all of `allOf`, the
 * first of `anyOf` and `oneOf` that is not null. Of two values for a keyword the narrower one counts if
 * that can be told, else the outer one.
 * @param whole the schema that it is a part of, with the `$defs`
 */
export function mergedSchema(
  schema: unknown,
  whole: JsonSchema,
  seen: Set<object> = new Set(),
): JsonSchema {
  // A schema that was merged before adds nothing, and circles end here.
  if (!isObject(schema) || seen.has(schema)) return {};
  seen.add(schema);
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
  const parts: unknown[] = [
    ...(typeof reference === "string" ? [localTarget(whole, reference)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
    firstChoice(anyOf),
    firstChoice(oneOf),
  ];
  return parts.reduce<JsonSchema>(
    (merged, part) => combined(merged, mergedSchema(part, whole, seen)),
    own,
  );
}

function firstChoice(choices: unknown): unknown {
  return Array.isArray(choices)
    ? choices.find((choice) => isObject(choice) && choice["type"] !== "null")
    : undefined;
}

function combined(outer: JsonSchema, inner: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...inner, ...outer };
  for (const name of ["properties", "patternProperties"]) {
    const [mine, theirs] = [outer[name], inner[name]];
    if (isObject(mine) && isObject(theirs)) merged[name] = bothProperties(mine, theirs);
  }
  if (Array.isArray(outer["required"]) && Array.isArray(inner["required"])) {
    merged["required"] = [...new Set<unknown>([...outer["required"], ...inner["required"]])];
  }
  for (const name of ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]) {
    keepNarrower(merged, name, outer[name], inner[name], Math.max);
  }
  for (const name of ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]) {
    keepNarrower(merged, name, outer[name], inner[name], Math.min);
  }
  const [outerTypes, innerTypes] = [typesOf(outer), typesOf(inner)];
  if (outerTypes && innerTypes) {
    merged["type"] = outerTypes.filter((type) => innerTypes.includes(type));
  }
  return merged;
}

/** A property that both schemas describe must satisfy both. */
function bothProperties(outer: JsonSchema, inner: JsonSchema): JsonSchema {
  const shared = Object.keys(outer).filter((name) => Object.hasOwn(inner, name));
  return {
    ...inner,
    ...outer,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [outer[name], inner[name]] }])),
  };
}

function keepNarrower(
  merged: Record<string, unknown>,
  name: string,
  outer: unknown,
  inner: unknown,
  narrower: (a: number, b: number) => number,
): void {
  if (typeof outer === "number" && typeof inner === "number") merged[name] = narrower(outer, inner);
}

/** The types that a schema allows; `undefined` when it does not say. */
export function typesOf({ type }: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(type)) return type;
  return typeof type === "string" ? [type] : undefined;
}
