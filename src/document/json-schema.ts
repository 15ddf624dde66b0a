import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "../profile/document.ts";
import { localTarget } from "./references.ts";
import { SCHEMA_MEMBERS } from "./shape.ts";
import { baseOf, createSurveyor, isDiscriminated, unjudgedPatterns } from "./survey.ts";

/** The version of OpenAPI that defines a document's schemas. */
export type Dialect = "3.0" | "3.1";

/** Why a schema cannot be translated, as a phrase. */
export class UnusableSchema extends Error {
  override readonly name = "UnusableSchema";
}

/** Whether a schema is for requests or responses, for `readOnly` and `writeOnly`. */
export type Direction = "request" | "response";

/** Keywords of OpenAPI 3.0's Schema Object, including those with their own meaning. Other keywords mean nothing there. */
const KEYWORDS_3_0: ReadonlySet<string> = new Set(
  `title description default example format enum type nullable readOnly writeOnly
  multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern
  maxItems minItems uniqueItems maxProperties minProperties required
  properties items additionalProperties not allOf anyOf oneOf`.split(/\s+/),
);
/**
 * Keywords that are dropped. References are already followed, the discriminator only says which schema of
 * `oneOf` applies, and `nullable` means something to the validator but nothing in 3.1.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "$schema $id $ref $anchor $dynamicAnchor $defs definitions discriminator nullable xml".split(" "),
);
/** Keywords whose schemas apply to the same value as the schema that has them. */
const IN_PLACE: ReadonlySet<string> = new Set(
  "not if then else allOf anyOf oneOf dependentSchemas".split(" "),
);
/** Keywords that make a schema stricter when the schemas in them are made looser. */
const NEGATING: ReadonlySet<string> = new Set(["not", "if"]);
const CHOICES: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);
const UNEVALUATED: ReadonlySet<string> = new Set(["unevaluatedItems", "unevaluatedProperties"]);
/** Each schema is needed in a few contexts at most. */
const MOST_DEFINITIONS = 5000;
const COMPOSING = ["allOf", "anyOf", "oneOf", "not"];

/** What is already known of a value when a schema is applied to it. */
interface Context {
  /** Schemas that the value is being validated against already. */
  readonly active: ReadonlySet<unknown>;
  /** Members that are not required in this direction. */
  readonly marked: ReadonlySet<string>;
}

/**
 * Translates a schema of an OpenAPI document into a self-contained JSON Schema, draft 2020-12. The schemas
 * that it refers to are in its `$defs`, once each, so that recursion is preserved.
 * - 3.0: `nullable` and boolean `exclusiveMinimum` and `exclusiveMaximum` are translated. Keywords beside
 * `$ref`, and keywords that 3.0 does not have, are ignored.
 * - 3.1: as it is.
 * - both: `readOnly` members are not required in requests, `writeOnly` members not in responses, also if
 * another schema of the same value requires them.
 * - both: a value that is being validated against a schema is not validated against the same schema again.
 * Generators let a parent's `oneOf` list children that are `allOf` the parent. JSON Schema leaves such a
 * circle undefined (2020-12 core, section 9.4.1), and validators do not terminate on it. The authors mean
 * that the child has the parent's own members.
 * - both: `oneOf` becomes `anyOf` if a discriminator makes the choice or one of its schemas is circular.
 * Two children that differ only in the discriminator's value would both match, and authors do not consider
 * that an error.
 * - both: patterns that `linearPattern` does not support are left out, with everything that would be
 * stricter without them.
 * @param root the document that its references start from
 * @param unjudged receives the patterns that were left out
 * @throws {UnusableSchema} when a reference leads nowhere, or `not` or `if` depends on a schema that was made
 * looser
 */
export function toJsonSchema(
  root: unknown,
  schema: unknown,
  dialect: Dialect,
  direction: Direction,
  unjudged: Set<string>,
): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const numbers = new Map<unknown, number>();
  const mark = direction === "request" ? "readOnly" : "writeOnly";
  const { survey, isCircular, isInexact } = createSurveyor({
    resolve,
    isMarked,
    besideReference: dialect === "3.1",
  });

  /** The schema for a value of which nothing is known. */
  function convertAnew(node: unknown, within: unknown): unknown {
    return convert(node, within, { active: new Set(), marked: survey(node, within).marked });
  }

  /** @param within the base of references: the document, or a schema in it with an `$id` */
  function convert(node: unknown, within: unknown, context: Context): unknown {
    if (typeof node === "boolean") return node;
    if (!isObject(node)) return {};
    const reference = node["$ref"];
    if (dialect === "3.0" && typeof reference === "string")
      return refer(reference, within, context);
    const base = baseOf(node, within);
    const moving = node["$dynamicRef"];
    if (dialect === "3.1" && typeof moving === "string")
      throw new UnusableSchema(`\`$dynamicRef\` \`${moving}\` cannot be resolved`);
    const known = Object.entries(node).filter(
      ([name, value]) =>
        (dialect === "3.0" ? KEYWORDS_3_0.has(name) : !LEFT_OUT.has(name)) &&
        !(CHOICES.has(name) && leadsBack(value, base, context)),
    );
    const converted: Record<string, unknown> = Object.fromEntries(
      known.map(([name, value]) => [name, convertKeyword(name, value, base, context)]),
    );
    if (Array.isArray(converted["oneOf"])) loosenOneOf(node, converted, base);
    if (typeof reference === "string") Object.assign(converted, refer(reference, base, context));
    if (Array.isArray(node["required"])) {
      converted["required"] = node["required"].filter((name) => !context.marked.has(String(name)));
    }
    for (const name of UNEVALUATED)
      if (name in node && isMadeOfCircles(node, base)) delete converted[name];
    leaveOutPatterns(node, converted, base);
    return dialect === "3.0" ? modernised(converted) : converted;
  }

  function convertKeyword(name: string, value: unknown, base: unknown, context: Context): unknown {
    if (NEGATING.has(name) && isInexact(value, base)) {
      throw new UnusableSchema(
        `\`${name}\` has a schema that refers to itself, a discriminator, or a pattern that cannot be judged`,
      );
    }
    const inner = (one: unknown): unknown =>
      IN_PLACE.has(name) ? convert(one, base, context) : convertAnew(one, base);
    const [how] = Object.hasOwn(SCHEMA_MEMBERS, name) ? (SCHEMA_MEMBERS[name] ?? []) : [];
    if (how === "one") return inner(value);
    if (how === "list" && Array.isArray(value)) return value.map(inner);
    if (how === "map" && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
    }
    return value;
  }

  /** Leaves out patterns that cannot be judged. More texts match without them, and it is unknown which members are additional. */
  function leaveOutPatterns(
    node: JsonSchema,
    converted: Record<string, unknown>,
    base: unknown,
  ): void {
    const { own, names: forNames } = unjudgedPatterns(node);
    for (const pattern of [...own, ...forNames]) unjudged.add(pattern);
    if (own.length > 0) delete converted["pattern"];
    const named = converted["patternProperties"];
    if (forNames.length > 0 && isObject(named)) {
      const judged = Object.entries(named).filter(([name]) => !forNames.includes(name));
      converted["patternProperties"] = Object.fromEntries(judged);
      delete converted["additionalProperties"];
    }
    if ("unevaluatedProperties" in node && survey(node, base).hasUnjudgedNames) {
      delete converted["unevaluatedProperties"];
    }
    if ("maxContains" in node && isInexact(node["contains"], base)) delete converted["maxContains"];
  }

  function loosenOneOf(node: JsonSchema, converted: Record<string, unknown>, base: unknown): void {
    if (!isDiscriminated(node) && !isInexact(node["oneOf"], base)) return;
    const { oneOf, anyOf, allOf } = converted;
    delete converted["oneOf"];
    if (anyOf === undefined) converted["anyOf"] = oneOf;
    else converted["allOf"] = [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }];
  }

  /** Whether one of the schemas is one that the value is being validated against already. */
  function leadsBack(schemas: unknown, base: unknown, { active }: Context): boolean {
    if (!Array.isArray(schemas) || active.size === 0) return false;
    return schemas.some((one: unknown) => {
      const reference = isObject(one) ? one["$ref"] : undefined;
      return typeof reference === "string" && active.has(resolve(reference, base));
    });
  }

  function isMadeOfCircles(node: unknown, base: unknown): boolean {
    return [...survey(node, base).targets].some((target) => isCircular(target, base));
  }

  function resolve(reference: string, base: unknown): unknown {
    return localTarget(base, reference) ?? localTarget(root, reference);
  }

  function refer(reference: string, base: unknown, { active, marked }: Context): JsonSchema {
    const found = resolve(reference, base);
    if (found === undefined) throw new UnusableSchema(`\`${reference}\` cannot be resolved`);
    if (active.has(found)) return {};
    const { targets, required, marked: own } = survey(found, base);
    const before = [...active].filter((one) => targets.has(one));
    const waived = [...marked].filter((name) => required.has(name) && !own.has(name));
    const key = JSON.stringify([
      numberOf(found),
      before.map(numberOf).toSorted((a, b) => a - b),
      waived.toSorted(),
    ]);
    const known = names.get(key);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    if (names.size >= MOST_DEFINITIONS) throw new UnusableSchema("it is made of too many schemas");
    const name = `d${names.size}`;
    names.set(key, name);
    definitions[name] = convert(found, base, {
      active: new Set([...before, found]),
      marked: new Set([...own, ...waived]),
    });
    return { $ref: `#/$defs/${name}` };
  }

  function numberOf(found: unknown): number {
    const number = numbers.get(found) ?? numbers.size;
    numbers.set(found, number);
    return number;
  }

  /** A mark counts on the property itself and on the schema that it refers to. */
  function isMarked(property: unknown, base: unknown, depth = 0): boolean {
    if (!isObject(property) || depth > 8) return false;
    const reference = property["$ref"];
    const elsewhere = typeof reference === "string" ? localTarget(base, reference) : undefined;
    const own = dialect === "3.1" || elsewhere === undefined;
    return (own && property[mark] === true) || isMarked(elsewhere, base, depth + 1);
  }

  const converted = convertAnew(schema, root);
  const whole = isObject(converted) ? converted : { allOf: [converted] };
  return names.size === 0 ? whole : { ...whole, $defs: definitions };
}

/** A Schema Object of 3.0 in the keywords of 2020-12. */
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

/** A nullable schema allows null, whatever its other keywords say. */
function orNull(schema: Record<string, unknown>): JsonSchema {
  if (COMPOSING.some((name) => name in schema)) return { anyOf: [schema, { type: "null" }] };
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === "string" && { type: [type, "null"] }),
    ...(Array.isArray(values) && { enum: [...new Set<unknown>([...values, null])] }),
  };
}
