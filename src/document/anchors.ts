import { pathToFileURL } from "node:url";

import { isObject } from "../lib/json.ts";
import { isUrl } from "./name.ts";
import { type Held, type Kind, SHAPES } from "./shape.ts";

/** A file or URL of a document, and where it stands in the assembled document. */
export interface PartPlace {
  /** Its real path or URL. */
  readonly id: string;
  /** JSON Pointer to it, for use in a fragment; empty for the document itself. */
  readonly prefix: string;
}

/** A place in the assembled document. */
export interface Target {
  /** JSON Pointer, for use in a fragment. */
  readonly pointer: string;
  readonly part: PartPlace;
}

/** The schema resource that a schema belongs to (JSON Schema 2020-12 core, section 4.3.5). */
interface Resource extends Target {
  /** Its absolute URI. */
  readonly uri: string;
}

/** The schemas of a document and its parts by `$id`, `$anchor` and `$dynamicAnchor`. */
export interface Anchors {
  /** Indexes a file or URL, of which it is not known what it is unless a kind is given. */
  addPart(value: unknown, part: PartPlace, kind?: Kind): void;
  /** Indexes a schema that only a reference shows to be one, with those inside it. */
  addSchema(node: unknown, place: Target): void;
  /** Makes a new schema belong to the same resource as another one. */
  addBeside(node: object, sibling: object): void;
  /**
   * Where a reference leads by its URI; `undefined` for one to something that is not indexed.
   * @param node the schema that has it
   * @param part the part that the schema is in
   */
  find(reference: string, node: object, part: PartPlace): Target | undefined;
  /** JSON Pointer to the resource of a schema, in which pointers start; see `Target`. */
  resourceOf(node: object, part: PartPlace): string;
  /** How many schemas have a `$dynamicAnchor` of that name. */
  dynamicCount(name: string): number;
}

/** What a part may be: anything but data. */
const KINDS = (Object.keys(SHAPES) as Kind[]).filter((kind) => kind !== "plain");

/**
 * Makes an index of the schemas that references of OpenAPI 3.1 can name (JSON Schema 2020-12 core, sections
 * 8.2 and 8.2.3.2), in the places where OpenAPI has schemas; data such as examples has none. Of several
 * schemas with one name the first counts.
 * @param named false for OpenAPI 3.0, which has no such names: files and URLs alone are found
 */
export function createAnchors(named: boolean): Anchors {
  const targets = new Map<string, Target>();
  /** The URI of the resource at the root of a part, by the part's own URI. */
  const roots = new Map<string, Resource>();
  const resources = new WeakMap<object, Resource>();
  const dynamic = new Map<string, number>();

  function addPart(value: unknown, part: PartPlace, kind?: Kind): void {
    const own: Resource = { uri: uriOf(part.id), pointer: part.prefix, part };
    if (roots.has(own.uri)) return;
    targets.set(own.uri, own);
    roots.set(own.uri, own);
    if (kind !== undefined) return walk(value, [kind], own);
    walk(value, KINDS, own);
    const root = isObject(value) ? resources.get(value) : undefined;
    if (root) roots.set(own.uri, root);
    // A file may hold schemas by name, without more around them.
    for (const [name, one] of isObject(value) ? Object.entries(value) : []) {
      const isKnown = KINDS.some((known) => Object.hasOwn(SHAPES[known].members, name));
      if (!isKnown) walk(one, ["schema"], root ?? own, `${part.prefix}/${token(name)}`);
    }
  }

  function rootOf(part: PartPlace): Resource {
    const uri = uriOf(part.id);
    return roots.get(uri) ?? { uri, pointer: part.prefix, part };
  }

  function walk(
    node: unknown,
    kinds: readonly Kind[],
    resource: Resource,
    from = resource.pointer,
  ): void {
    const pending = kinds.map((kind) => ({ node, kind, pointer: from, resource }));
    const seen = new Map<object, Set<Kind>>();
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { node: current, kind, pointer } = next;
      if (!isObject(current) || seen.get(current)?.has(kind)) continue;
      seen.set(current, (seen.get(current) ?? new Set()).add(kind));
      if (kind === "schema" && resources.has(current)) continue;
      const within = kind === "schema" ? addOne(current, pointer, next.resource) : next.resource;
      const { members, others } = SHAPES[kind];
      for (const [name, value] of Object.entries(current)) {
        const own = Object.hasOwn(members, name) ? members[name] : undefined;
        const held: Held | undefined = own ?? (others && ["one", others]);
        if (!held) continue;
        const [how, inner] = held;
        const there = `${pointer}/${token(name)}`;
        if (how === "one") {
          pending.push({ node: value, kind: inner, pointer: there, resource: within });
        } else if (Array.isArray(value) ? how === "list" : how === "map" && isObject(value)) {
          for (const [key, one] of Object.entries(value as object)) {
            const place = `${there}/${token(key)}`;
            pending.push({ node: one, kind: inner, pointer: place, resource: within });
          }
        }
      }
    }
  }

  /** Indexes one schema and returns the resource of those inside it. */
  function addOne(
    schema: Readonly<Record<string, unknown>>,
    pointer: string,
    outer: Resource,
  ): Resource {
    const { $id: id, $anchor: anchor, $dynamicAnchor: moving } = schema;
    const { part } = outer;
    const resource =
      typeof id === "string"
        ? { uri: withoutFragment(absolute(id, outer.uri)), pointer, part }
        : outer;
    resources.set(schema, resource);
    if (!named) return resource;
    const { uri } = resource;
    if (typeof id === "string" && !targets.has(uri)) targets.set(uri, resource);
    for (const name of [anchor, moving]) {
      const whole = `${uri}#${String(name)}`;
      if (typeof name === "string" && !targets.has(whole)) targets.set(whole, { pointer, part });
    }
    if (typeof moving === "string") dynamic.set(moving, (dynamic.get(moving) ?? 0) + 1);
    return resource;
  }

  return {
    addPart,
    addSchema(node, { pointer, part }) {
      if (isObject(node) && !resources.has(node)) walk(node, ["schema"], rootOf(part), pointer);
    },
    addBeside(node, sibling) {
      const resource = resources.get(sibling);
      if (resource) resources.set(node, resource);
    },
    find(reference, node, part) {
      const { uri: base } = resources.get(node) ?? rootOf(part);
      const [uri = "", fragment = ""] = absolute(reference, base).split(/#(.*)/s, 2);
      const isPointer = fragment === "" || fragment.startsWith("/");
      if (isPointer) {
        const found = targets.get(uri);
        return found && { ...found, pointer: `${found.pointer}${fragment}` };
      }
      return targets.get(`${uri}#${fragment}`) ?? targets.get(`${roots.get(uri)?.uri}#${fragment}`);
    },
    resourceOf: (node, part) => (resources.get(node) ?? rootOf(part)).pointer,
    dynamicCount: (name) => dynamic.get(name) ?? 0,
  };
}

function uriOf(id: string): string {
  return isUrl(id) ? id : pathToFileURL(id).href;
}

function absolute(reference: string, base: string): string {
  if (reference.startsWith("#")) return `${base}${reference}`;
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

function withoutFragment(uri: string): string {
  return uri.split("#", 1)[0] ?? "";
}

/** A member's name as a token of a pointer in a fragment (RFC 6901 §6). */
function token(name: string): string {
  return encodeURIComponent(
    name
      .replaceAll(/\p{Surrogate}/gu, "\uFFFD")
      .replaceAll("~", "~0")
      .replaceAll("/", "~1"),
  );
}
