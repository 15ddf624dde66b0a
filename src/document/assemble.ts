import { isObject } from "../lib/json.ts";
import { resolveAnchors } from "./anchors.ts";
import { localTarget } from "./references.ts";
import { type Held, type Kind, SHAPES } from "./shape.ts";

/** The extension of the document that holds its other parts. */
const PARTS = "x-conformance-parts";

/** A parsed file or URL that belongs to a document. */
export interface Part {
  /** Its real path or URL, the same for every way to refer to it. */
  readonly id: string;
  readonly value: unknown;
}

/**
 * Reads a part.
 * @param reference a reference without its fragment, as the document has it
 * @param from id of the part that contains the reference
 * @throws SuiteError when the part may not or cannot be read
 */
export type ReadPart = (reference: string, from: string) => Promise<Part>;

/** A document without references to other files. */
export interface Assembled {
  /** All its references point into itself. */
  readonly root: Readonly<Record<string, unknown>>;
  /** The objects whose `$ref` is a reference; any other `$ref` is data. */
  readonly references: ReadonlySet<object>;
}

/** A node of a document whose kind is known. */
interface Node {
  readonly node: unknown;
  readonly kind: Kind;
  /** The id of its part, and the JSON Pointer to that part in the document. */
  readonly part: string;
  readonly prefix: string;
  /** The nearest enclosing schema with an `$id`, in which fragments are looked up first. */
  readonly resource?: unknown;
}

/**
 * Puts the parts of a document into it, each once, and rewrites its references to point there. Only the
 * places where OpenAPI has references (`SHAPES`) count; a `$ref` in an example or in other data is data.
 * @param document as it was parsed; it is changed
 * @param refuse is called for a reference to another part where OpenAPI allows none; it throws
 */
export async function assemble(
  document: Part & { readonly value: Readonly<Record<string, unknown>> },
  readPart: ReadPart,
  refuse: (reference: string, from: string) => never,
): Promise<Assembled> {
  const root: Record<string, unknown> = document.value;
  resolveAnchors(root);
  const parts: unknown[] = [];
  const prefixes = new Map([[document.id, ""]]);
  const visited = new Map<object, Set<Kind>>();
  const references = new Map<object, Node>();
  const pending: Node[] = [{ node: root, kind: "document", part: document.id, prefix: "" }];
  /** References through other references that may not have been followed yet. */
  let unresolved: Node[] = [];

  for (;;) {
    const place = pending.pop();
    if (place) await visit(place);
    else if (!retry()) return { root, references: new Set(references.keys()) };
  }

  async function visit(place: Node): Promise<void> {
    const { node, kind } = place;
    if (!isObject(node) || visited.get(node)?.has(kind)) return;
    visited.set(node, (visited.get(node) ?? new Set()).add(kind));
    const shape = SHAPES[kind];
    const { $ref: reference, $id: id } = node;
    if (typeof reference === "string") {
      if (shape.reference === "no") checkLocal(reference, place);
      await follow(node, reference, place);
      if (shape.reference === "alone") return;
    }
    const inner =
      kind === "schema" && typeof id === "string" ? { ...place, resource: node } : place;
    for (const [name, value] of Object.entries(node)) {
      const own = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
      const held = own ?? (shape.others && (["one", shape.others] as const));
      if (held) pending.push(...heldPlaces(held, value, inner));
    }
  }

  function heldPlaces([how, kind]: Held, value: unknown, place: Node): Node[] {
    if (how === "list") return Array.isArray(value) ? value.map(as) : [];
    if (how === "one") return [as(value)];
    if (!isObject(value)) return [];
    if (typeof value["$ref"] === "string") checkLocal(value["$ref"], place);
    return Object.values(value).map(as);

    function as(node: unknown): Node {
      return { ...place, node, kind };
    }
  }

  function checkLocal(reference: string, { part }: Node): void {
    if (!reference.startsWith("#")) refuse(reference, part);
  }

  async function follow(
    node: Readonly<Record<string, unknown>>,
    reference: string,
    place: Node,
  ): Promise<void> {
    const known = references.get(node);
    if (known) return arrive(node, { ...known, kind: place.kind });
    references.set(node, place);
    const { part, resource } = place;
    if (resource !== undefined && localTarget(resource, reference) !== undefined) {
      pending.push({ ...place, node: localTarget(resource, reference) });
      return;
    }
    const [path = "", fragment = ""] = reference.split(/#(.*)/s, 2);
    // A name such as urn:… is no place to read; where nothing in the document has it, its schema is not judged.
    if (/^(?!https?:|file:)[a-z][a-z\d+.-]+:/i.test(path)) return;
    const there = path === "" ? part : await partOf(path, part);
    const prefix = prefixes.get(there) ?? "";
    if (fragment === "" || fragment.startsWith("/")) {
      (node as Record<string, unknown>)["$ref"] = `#${prefix}${fragment}`;
    }
    arrive(node, { node, kind: place.kind, part: there, prefix });
  }

  /** @param place the target of the node's reference, without its node */
  function arrive(node: Readonly<Record<string, unknown>>, place: Node): void {
    references.set(node, place);
    const found = localTarget(root, String(node["$ref"]));
    if (found === undefined) unresolved.push({ ...place, node });
    else pending.push({ ...place, node: found });
  }

  async function partOf(reference: string, from: string): Promise<string> {
    const { id, value } = await readPart(reference, from);
    if (!prefixes.has(id)) {
      prefixes.set(id, `/${PARTS}/${parts.length}`);
      parts.push(value);
      root[PARTS] = parts;
    }
    return id;
  }

  function retry(): boolean {
    const again = unresolved;
    unresolved = [];
    for (const place of again) arrive(place.node as Readonly<Record<string, unknown>>, place);
    return unresolved.length < again.length;
  }
}
