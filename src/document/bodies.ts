import { isObject } from "../lib/json.ts";
import type { DocumentedMedia, DocumentedSchema, JsonSchema } from "../profile/document.ts";
import { typesOf } from "./merge.ts";

/** Placeholder for a value that is new in every request; see `newUnique`. */
const UNIQUE = "${unique}";
const UNIQUE_EXAMPLE = "conformance-0123456789abcdef01";

/** Depth to which a body is searched for a free text. */
const DEEPEST = 3;
/** Names of members with free text that nothing else depends on. */
const PROSE = /mission|description|summary|note|comment|about|purpose|remark|biograph|^bio$/i;
const TITLE = /name|title|label/i;
/** Names of members whose text has a format or a meaning for a machine. */
const FORMAL =
  /(?:^|_|-)(?:id|ids|op|path|from|code|type|kind|status|state|url|uri|href|email|phone|slug|version|locale|language|currency|country|date|time|key|token|source)$|(?:Id|Ids|Code|Type|Kind|Status|State|Url|Uri|Email|Phone|Slug|Version|Date|Time|Key|At)$/;

/** A place in a body, as member names from its root. */
type Path = readonly string[];

/**
 * A good body of an operation, with `${unique}` in a free text. If nothing is required, it has only that
 * text; else it is an example of the document, or what the schema requires.
 * @returns `undefined` when the document has no body that its own schema allows
 */
export function goodBody({ schema, examples }: DocumentedMedia): unknown {
  const smallest = schema?.smallest();
  const made = isObject(smallest) ? [smallest] : [];
  const shown = examples.map((example) => withoutReadOnly(example, schema));
  const nothingRequired = made.length > 0 && Object.keys(made[0] ?? {}).length === 0;
  const bases = nothingRequired ? [...made, ...shown] : [...shown, ...made];
  const candidates = [...bases.flatMap((base) => withUnique(base, schema)), ...bases];
  return candidates.find((body) => allows(schema, body));
}

/** A body that violates the schema: the good one with a value of another type in one place. */
export function refusedBody(body: unknown, { schema }: DocumentedMedia): unknown {
  if (schema?.unusable !== undefined || !schema || !isObject(body) || !allows(schema, body))
    return undefined;
  const { properties } = schema.merged;
  const names = Object.keys(body).filter((name) => isObject(properties) && name in properties);
  // Free texts cannot be invalid: the deployment accepts any value there.
  const free = names.filter((name) => JSON.stringify(body[name]).includes(UNIQUE));
  return [...free, ...names]
    .map((name) => ({ ...body, [name]: isObject(body[name]) ? "conformance" : { conformance: 7 } }))
    .find((candidate) => schema.problem(sent(candidate)) !== undefined);
}

function allows(schema: DocumentedSchema | undefined, body: unknown): boolean {
  return !schema || schema.problem(sent(body)) === undefined;
}

/** An example without read-only members. Examples may show responses as well as requests. */
function withoutReadOnly(example: unknown, schema: DocumentedSchema | undefined): unknown {
  const properties = schema?.merged["properties"];
  if (!schema || !isObject(example) || !isObject(properties)) return example;
  const kept = Object.entries(example).filter(
    ([name]) => schema.mergedPart(properties[name])["readOnly"] !== true,
  );
  return Object.fromEntries(kept);
}

/** A body as it will be sent. */
function sent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(UNIQUE, UNIQUE_EXAMPLE));
}

/** The body with `${unique}` in each free text, one copy for each, the likeliest first. */
function withUnique(body: unknown, schema: DocumentedSchema | undefined): unknown[] {
  const places = [...freeTexts(body), ...(schema ? freeProperties(schema, body) : [])];
  return places
    .toSorted((a, b) => preference(a) - preference(b))
    .map((path) => withText(body, path));
}

/** The texts of a body that may have any value, judging by their names. */
function freeTexts(body: unknown, path: Path = []): Path[] {
  if (path.length > DEEPEST) return [];
  if (typeof body === "string") return FORMAL.test(path.at(-1) ?? "") ? [] : [path];
  if (Array.isArray(body)) {
    return body.slice(0, 1).flatMap((item: unknown) => freeTexts(item, [...path, "0"]));
  }
  return isObject(body)
    ? Object.entries(body).flatMap(([name, value]) => freeTexts(value, [...path, name]))
    : [];
}

/** The free texts that the schema allows in the objects of the body. */
function freeProperties(schema: DocumentedSchema, body: unknown): Path[] {
  const within = ({ properties }: JsonSchema, value: unknown, path: Path): Path[] => {
    if (!isObject(properties) || !isObject(value) || path.length >= DEEPEST) return [];
    return Object.entries(properties).flatMap(([name, property]): Path[] => {
      const merged = schema.mergedPart(property);
      if (merged["readOnly"] === true) return [];
      if (isFreeText(merged)) return FORMAL.test(name) ? [] : [[...path, name]];
      return within(merged, value[name], [...path, name]);
    });
  };
  return within(schema.merged, body, []);
}

function isFreeText(schema: JsonSchema): boolean {
  const types = typesOf(schema) ?? [];
  const limit = schema["maxLength"];
  return (
    types.includes("string") &&
    types.every((type) => type === "string" || type === "null") &&
    !["format", "enum", "const", "pattern", "contentMediaType"].some((name) => name in schema) &&
    !(typeof limit === "number" && limit < UNIQUE_EXAMPLE.length)
  );
}

function preference(path: Path): number {
  const name = path.at(-1) ?? "";
  return (PROSE.test(name) ? 0 : TITLE.test(name) ? 10 : 20) + path.length;
}

function withText(body: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return UNIQUE;
  if (Array.isArray(body)) {
    return body.map((item: unknown, at) => (String(at) === name ? withText(item, rest) : item));
  }
  const members = isObject(body) ? body : {};
  return { ...members, [name]: withText(members[name], rest) };
}
