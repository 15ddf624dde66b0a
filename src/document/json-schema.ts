import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "../profile/document.ts";
import { localTarget } from "./references.ts";
import { baseOf, createSurveyor, isDiscriminated, unjudgedPatterns } from "./survey.ts";

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
  "$schema $id $ref $anchor $dynamicAnchor $defs definitions discriminator nullable xml".split(" "),
);
/** Keywords whose schemas are for the same value as the schema that has them. */
const IN_PLACE: ReadonlySet<string> = new Set(
  "not if then else allOf anyOf oneOf dependentSchemas".split(" "),
);
/** Keywords that would be stricter if the schemas beside them or in them were taken for looser ones. */
const NEGATING: ReadonlySet<string> = new Set(["not", "if"]);
const CHOICES: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);
const UNEVALUATED: ReadonlySet<string> = new Set(["unevaluatedItems", "unevaluatedProperties"]);
/** Each schema is needed in a few contexts at most. */
const MOST_DEFINITIONS = 5000;
const COMPOSING = ["allOf", "anyOf", "oneOf", "not"];

/** What has been said of a value before a schema comes to speak of it too. */
interface Context {
  /** Schemas that it is being held against already. */
  readonly active: ReadonlySet<unknown>;
  /** Members that need not be there in this direction. */
  readonly marked: ReadonlySet<string>;
}

/**
 * A schema of an OpenAPI document as a JSON Schema, draft 2020-12, that stands on its own: what it
 * refers to is in its `$defs`, once each, so that circles stay circles.
 *
 * - 3.0: `nullable`, boolean `exclusiveMinimum` and `exclusiveMaximum`; what stands beside `$ref` is
 *   ignored, and so is every keyword that 3.0 does not have.
 * - 3.1: as it is.
 * - both: what is `readOnly` is not required in requests, what is `writeOnly` not in responses, also
 *   where another schema of the same value says so.
 * - both: a value that is being held against a schema is not held against the same one again. Generators
 *   let a parent's `oneOf` list children that are `allOf` the parent. JSON Schema leaves such a circle
 *   undefined (2020-12 core, section 9.4.1), and no validator comes to an end in it; what people mean
 *   is that the child has the parent's own members.
 * - both: `oneOf` is taken for `anyOf` where a discriminator makes the choice or a schema in it is
 *   circular. Two children that differ in the discriminator's value alone would both fit, and
 *   the document's author sees no fault in that.
 * - both: patterns that `linearPattern` does not have are left out, and what would be stricter for it with them.
 * @param root the document that its references start from
 * @param unjudged receives the patterns that were left out
 * @throws {RangeError} where a reference leads nowhere, or `not` or `if` depends on what was taken loosely
 */
export function toJsonSchema(
  root: unknown,
  schema: unknown,
  dialect: Dialect,
  direction: Direction,
  unjudged: Set<string> = new Set(),
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

  /** A schema for a value that nothing has been said of. */
  function convertAnew(node: unknown, within: unknown): unknown {
    return convert(node, within, { active: new Set(), marked: survey(node, within).marked });
  }

  /** @param within what references start from: the document, or a schema in it with an `$id` */
  function convert(node: unknown, within: unknown, context: Context): unknown {
    if (typeof node === "boolean") return node;
    if (!isObject(node)) return {};
    const reference = node["$ref"];
    if (dialect === "3.0" && typeof reference === "string")
      return refer(reference, within, context);
    const base = baseOf(node, within);
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
      throw new RangeError(
        `\`${name}\` has a schema that leads back to itself, a discriminator, or a pattern that cannot be judged`,
      );
    }
    const inner = (one: unknown): unknown =>
      IN_PLACE.has(name) ? convert(one, base, context) : convertAnew(one, base);
    if (ONE.has(name)) return inner(value);
    if (LIST.has(name) && Array.isArray(value)) return value.map(inner);
    if (NAMED.has(name) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
    }
    return value;
  }

  /** Without a pattern more texts fit, and which members are additional is not known. */
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

  /** Whether one of several schemas is what the value is being held against already: it is known to fit. */
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
    if (found === undefined) throw new RangeError(`${reference} leads nowhere`);
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
    if (names.size >= MOST_DEFINITIONS) throw new RangeError("it is made of too many schemas");
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

  /** A mark counts in the property itself and where it refers to. */
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
