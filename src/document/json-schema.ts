import { isObject } from "../probe/shapes.ts";
import type { JsonSchema } from "../profile/document.ts";
import { localTarget } from "./references.ts";

/** Which rules a document's schemas are written by. */
export type Dialect = "3.0" | "3.1";

/** Whether a schema is for what is sent or for what is answered: `readOnly` and `writeOnly` differ. */
export type Direction = "request" | "response";

/** Keywords of OpenAPI 3.0's Schema Object, and its own vocabulary for JSON Schema's. Others mean nothing there. */
const KEYWORDS_3_0: ReadonlySet<string> = new Set(
  `title description default example format enum type nullable readOnly writeOnly
  multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern
  maxItems minItems uniqueItems maxProperties minProperties required
  properties items additionalProperties not allOf anyOf oneOf`.split(/\s+/),
);
/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE: ReadonlySet<string> = new Set(
  `items additionalProperties not if then else contains propertyNames
  unevaluatedItems unevaluatedProperties`.split(/\s+/),
);
const LIST: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);
/**
 * References have been followed by then, the discriminator only says which of `oneOf` it is, and
 * `nullable` means something to the validator, though nothing to 3.1.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "$schema $id $anchor $dynamicAnchor $defs definitions discriminator nullable xml".split(" "),
);
const COMPOSING = ["allOf", "anyOf", "oneOf", "not"];

/**
 * A schema of an OpenAPI document as a JSON Schema, draft 2020-12, that stands on its own: what it
 * refers to is in its `$defs`, once each, so that circles stay circles.
 *
 * - 3.0: `nullable`, boolean `exclusiveMinimum` and `exclusiveMaximum`; what stands beside `$ref` is
 *   ignored, and so is every keyword that 3.0 does not have.
 * - 3.1: as it is.
 * - both: what is `readOnly` is not required in requests, what is `writeOnly` not in responses.
 * @param root the document that its references start from
 * @throws {RangeError} where a reference leads nowhere
 */
export function toJsonSchema(
  root: unknown,
  schema: unknown,
  dialect: Dialect,
  direction: Direction,
): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const names = new Map<unknown, string>();

  /** @param within what references start from: the document, or a schema in it with an `$id` */
  function convert(node: unknown, within: unknown): unknown {
    if (typeof node === "boolean") return node;
    if (!isObject(node)) return {};
    const reference = node["$ref"];
    if (dialect === "3.0" && typeof reference === "string") return refer(reference, within);
    const base = typeof node["$id"] === "string" ? node : within;
    const known = Object.entries(node).filter(([name]) =>
      dialect === "3.0" ? KEYWORDS_3_0.has(name) : !LEFT_OUT.has(name),
    );
    const converted: Record<string, unknown> = Object.fromEntries(
      known.map(([name, value]) => [name, convertKeyword(name, value, base)]),
    );
    if (typeof reference === "string") Object.assign(converted, refer(reference, base));
    if (Array.isArray(node["required"])) {
      converted["required"] = requiredOf(node, node["required"], base);
    }
    return dialect === "3.0" ? modernised(converted) : converted;
  }

  function convertKeyword(name: string, value: unknown, base: unknown): unknown {
    if (ONE.has(name)) return convert(value, base);
    if (LIST.has(name) && Array.isArray(value)) return value.map((one) => convert(one, base));
    if (NAMED.has(name) && isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, convert(one, base)]),
      );
    }
    return value;
  }

  function refer(reference: string, base: unknown): JsonSchema {
    const found = localTarget(base, reference) ?? localTarget(root, reference);
    if (found === undefined) throw new RangeError(`${reference} leads nowhere`);
    const known = names.get(found);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `d${names.size}`;
    names.set(found, name);
    definitions[name] = convert(found, base);
    return { $ref: `#/$defs/${name}` };
  }

  function requiredOf(node: JsonSchema, required: readonly unknown[], base: unknown): unknown[] {
    const mark = direction === "request" ? "readOnly" : "writeOnly";
    const properties = isObject(node["properties"]) ? node["properties"] : {};
    return required.filter((name) => {
      const property = typeof name === "string" ? properties[name] : undefined;
      return !isMarked(property, mark, base);
    });
  }

  /** A mark counts in the property itself and where it refers to. */
  function isMarked(property: unknown, mark: string, base: unknown, depth = 0): boolean {
    if (!isObject(property) || depth > 8) return false;
    const reference = property["$ref"];
    const elsewhere = typeof reference === "string" ? localTarget(base, reference) : undefined;
    const own = dialect === "3.1" || elsewhere === undefined;
    return (own && property[mark] === true) || isMarked(elsewhere, mark, base, depth + 1);
  }

  const converted = convert(schema, root);
  const whole = isObject(converted) ? converted : { allOf: [converted] };
  return names.size === 0 ? whole : { ...whole, $defs: definitions };
}

/** A Schema Object of 3.0 in the words of 2020-12. */
function modernised(schema: Record<string, unknown>): JsonSchema {
  const { nullable, example, ...rest } = schema;
  if (example !== undefined) rest["examples"] = [example];
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof rest[exclusive] !== "boolean") continue;
    if (rest[exclusive] && bound in rest) {
      rest[exclusive] = rest[bound];
      delete rest[bound];
    } else delete rest[exclusive];
  }
  return nullable === true ? orNull(rest) : rest;
}

/** Where the document says nullable, null is allowed, whatever stands beside it. */
function orNull(schema: Record<string, unknown>): JsonSchema {
  if (COMPOSING.some((name) => name in schema)) return { anyOf: [schema, { type: "null" }] };
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === "string" && { type: [type, "null"] }),
    ...(Array.isArray(values) && { enum: [...new Set<unknown>([...values, null])] }),
  };
}
