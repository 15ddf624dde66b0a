import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "../profile/document.ts";
import { linearPattern } from "./pattern.ts";

/** Keywords whose schemas apply to the same value as the schema that has them. */
const IN_PLACE_ONE = ["not", "if", "then", "else"];
const IN_PLACE_LIST = ["allOf", "anyOf", "oneOf"];

/** What a schema and all schemas that it consists of state about one value. */
export interface Survey {
  /** The targets of references for the same value. */
  readonly targets: ReadonlySet<unknown>;
  /** Names of members that are marked `readOnly` or `writeOnly`. */
  readonly marked: ReadonlySet<string>;
  /** Names of required members. */
  readonly required: ReadonlySet<string>;
  /** True when it cannot be told which members a pattern applies to. */
  readonly hasUnjudgedNames: boolean;
}

/** How to read the schemas of a document. */
export interface Reading {
  /** The target of a reference, seen from the document or the schema with an `$id` around it. */
  resolve(reference: string, base: unknown): unknown;
  /** Whether a member's schema has the mark. */
  isMarked(property: unknown, base: unknown): boolean;
  /** Whether the members beside a `$ref` count. */
  readonly besideReference: boolean;
}

/** Makes an analyser of schemas that does not translate them and caches its results. */
export function createSurveyor(reading: Reading): {
  readonly survey: (schema: unknown, base: unknown) => Survey;
  /** Whether a schema contains itself for the same value, so that validators would not end. */
  readonly isCircular: (target: unknown, base: unknown) => boolean;
  /** Whether a schema, or any schema that it refers to, can only be judged approximately. */
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

/** The patterns of a schema that cannot be judged, those for texts and those for member names. */
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

/** The base of the references in a schema. */
export function baseOf(schema: JsonSchema, within: unknown): unknown {
  return typeof schema["$id"] === "string" ? schema : within;
}
