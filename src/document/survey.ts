import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "../profile/document.ts";
import { linearPattern } from "./pattern.ts";

/** Keywords whose schemas are for the same value as the schema that has them. */
const IN_PLACE_ONE = ["not", "if", "then", "else"];
const IN_PLACE_LIST = ["allOf", "anyOf", "oneOf"];

/** What is said of one value by a schema and all that it is made of, however far away. */
export interface Survey {
  /** What references for the same value lead to. */
  readonly targets: ReadonlySet<unknown>;
  /** Names of members that are marked, as `readOnly` or `writeOnly`. */
  readonly marked: ReadonlySet<string>;
  /** Names of members that are required. */
  readonly required: ReadonlySet<string>;
  /** Which of its members a pattern is for cannot be told. */
  readonly hasUnjudgedNames: boolean;
}

/** How to read the schemas of a document. */
export interface Reading {
  /** What a reference leads to, from the document or the schema with an `$id` that it is in. */
  resolve(reference: string, base: unknown): unknown;
  /** Whether a member's schema has the mark. */
  isMarked(property: unknown, base: unknown): boolean;
  /** Whether what stands beside `$ref` counts. */
  readonly besideReference: boolean;
}

/** Looks at schemas without translating them; what was seen is kept. */
export function createSurveyor(reading: Reading): {
  readonly survey: (schema: unknown, base: unknown) => Survey;
  /** Whether it is made of itself, for the same value: no validator comes to an end there. */
  readonly isCircular: (target: unknown, base: unknown) => boolean;
  /** Whether a schema, or any that it refers to for whatever value, can only be judged approximately. */
  readonly isInexact: (schema: unknown, base: unknown) => boolean;
} {
  const surveys = new Map<unknown, Survey>();
  const inexact = new Map<unknown, boolean>();

  function survey(schema: unknown, base: unknown): Survey {
    const known = surveys.get(schema);
    if (known) return known;
    const [targets, marked, required] = [new Set<unknown>(), new Set<string>(), new Set<string>()];
    const seen = new Set<unknown>();
    let hasUnjudgedNames = false;
    const pending: [node: unknown, base: unknown][] = [[schema, base]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [node, from] = next;
      if (!isObject(node) || seen.has(node)) continue;
      seen.add(node);
      hasUnjudgedNames ||= unjudgedPatterns(node).names.length > 0;
      const own = baseOf(node, from);
      const target = targetOf(node, own);
      if (target !== undefined) {
        targets.add(target);
        pending.push([target, own]);
        if (!reading.besideReference) continue;
      }
      const { properties, required: names, dependentSchemas } = node;
      for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
        if (reading.isMarked(property, own)) marked.add(name);
      }
      for (const name of Array.isArray(names) ? names : []) required.add(String(name));
      const parts = [
        ...IN_PLACE_ONE.map((name) => node[name]),
        ...IN_PLACE_LIST.flatMap((name) => node[name] ?? []),
        ...Object.values(isObject(dependentSchemas) ? dependentSchemas : {}),
      ];
      for (const part of parts) pending.push([part, own]);
    }
    const found = { targets, marked, required, hasUnjudgedNames };
    surveys.set(schema, found);
    return found;
  }

  function targetOf(node: JsonSchema, base: unknown): unknown {
    const reference = node["$ref"];
    return typeof reference === "string" ? reading.resolve(reference, base) : undefined;
  }

  function isCircular(target: unknown, base: unknown): boolean {
    return survey(target, base).targets.has(target);
  }

  function isInexact(schema: unknown, base: unknown): boolean {
    const known = inexact.get(schema);
    if (known !== undefined) return known;
    const found = findInexact(schema, base);
    inexact.set(schema, found);
    return found;
  }

  function findInexact(schema: unknown, base: unknown): boolean {
    const seen = new Set<unknown>();
    const pending: [node: unknown, base: unknown][] = [[schema, base]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [node, from] = next;
      if (typeof node !== "object" || node === null || seen.has(node)) continue;
      seen.add(node);
      for (const part of Object.values(node) as unknown[]) pending.push([part, from]);
      if (!isObject(node)) continue;
      if (isDiscriminated(node)) return true;
      const { own: texts, names } = unjudgedPatterns(node);
      if (texts.length + names.length > 0) return true;
      const own = baseOf(node, from);
      const target = targetOf(node, own);
      if (target === undefined) continue;
      if (isCircular(target, own)) return true;
      pending.push([target, own]);
    }
    return false;
  }

  return { survey, isCircular, isInexact };
}

/** Whether a discriminator chooses among the schemas of `oneOf`. */
export function isDiscriminated(schema: JsonSchema): boolean {
  return isObject(schema["discriminator"]) && Array.isArray(schema["oneOf"]);
}

/** Patterns that cannot be judged: those that a schema itself has for texts, and for names of members. */
export function unjudgedPatterns({ pattern, patternProperties }: JsonSchema): {
  readonly own: readonly string[];
  readonly names: readonly string[];
} {
  return {
    own: typeof pattern === "string" ? [pattern].filter(isUnjudged) : [],
    names: isObject(patternProperties) ? Object.keys(patternProperties).filter(isUnjudged) : [],
  };
}

function isUnjudged(pattern: string): boolean {
  return linearPattern(pattern) === undefined;
}

/** What references in a schema start from. */
export function baseOf(schema: JsonSchema, within: unknown): unknown {
  return typeof schema["$id"] === "string" ? schema : within;
}
