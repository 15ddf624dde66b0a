import { isObject } from "../lib/json.ts";
import { type Held, type Kind, SHAPES } from "./shape.ts";

/** The base of a document whose own URI does not matter: only references inside it are looked up. */
const OWN = "document:///openapi";

/** A schema with its place in the document. */
interface Place {
  readonly schema: Record<string, unknown>;
  /** JSON Pointer from the document's root. */
  readonly pointer: string;
  /** The absolute URI of the schema resource that it belongs to. */
  readonly base: string;
}

/**
 * Rewrites the references of an OpenAPI 3.1 document that name a schema by its `$id`, `$anchor` or
 * `$dynamicAnchor` (JSON Schema 2020-12 core, sections 8.2 and 8.2.3.2) as pointers into the document. A `$dynamicRef`
 * becomes a `$ref` where only one schema has its `$dynamicAnchor`; where several have, it depends on the way
 * that validation took, and stays. So does what the document does not define.
 * @param root the document as it was parsed; it is changed
 */
export function resolveAnchors(root: Readonly<Record<string, unknown>>): void {
  if (String(root["openapi"]).startsWith("3.0")) return;
  const places = schemasOf(root);
  const pointers = new Map<string, string>();
  const dynamic = new Map<string, number>();
  for (const { schema, pointer, base } of places) {
    const { $id: id, $anchor: anchor, $dynamicAnchor: moving } = schema;
    if (typeof id === "string" && !pointers.has(base)) pointers.set(base, pointer);
    for (const name of [anchor, moving]) {
      if (typeof name === "string" && !pointers.has(`${base}#${name}`))
        pointers.set(`${base}#${name}`, pointer);
    }
    if (typeof moving === "string") dynamic.set(moving, (dynamic.get(moving) ?? 0) + 1);
  }
  for (const { schema, base } of places) {
    const { $ref: reference, $dynamicRef: moving } = schema;
    if (typeof reference === "string") {
      const pointer = pointerTo(reference, base);
      if (pointer !== undefined) schema["$ref"] = `#${pointer}`;
    }
    if (typeof moving !== "string") continue;
    const name = moving.split("#")[1] ?? "";
    if ((dynamic.get(name) ?? 0) > 1) continue;
    const target = moving.startsWith("#/") ? moving : pointerTo(moving, base, "#");
    if (target === undefined) continue;
    delete schema["$dynamicRef"];
    const { allOf } = schema;
    if (reference === undefined) schema["$ref"] = target;
    else schema["allOf"] = [...(Array.isArray(allOf) ? allOf : []), { $ref: target }];
  }

  function pointerTo(reference: string, base: string, before = ""): string | undefined {
    // Pointers within one resource are followed as they are.
    if (reference === "#" || reference.startsWith("#/")) return undefined;
    const [uri = "", fragment = ""] = absolute(reference, base).split(/#(.*)/s, 2);
    const isPointer = fragment === "" || fragment.startsWith("/");
    const found = pointers.get(isPointer ? uri : `${uri}#${fragment}`);
    return found === undefined ? undefined : `${before}${found}${isPointer ? fragment : ""}`;
  }
}

/** All schemas of a document, in the places where OpenAPI has them; data such as examples has none. */
function schemasOf(root: Readonly<Record<string, unknown>>): Place[] {
  const places: Place[] = [];
  const seen = new Set<object>();
  const pending: [node: unknown, kind: Kind, pointer: string, base: string][] = [
    [root, "document", "", OWN],
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, kind, pointer, outer] = next;
    if (!isObject(node) || seen.has(node)) continue;
    seen.add(node);
    const id = kind === "schema" ? node["$id"] : undefined;
    const base = typeof id === "string" ? withoutFragment(absolute(id, outer)) : outer;
    if (kind === "schema") places.push({ schema: node, pointer, base });
    const { members, others } = SHAPES[kind];
    for (const [name, value] of Object.entries(node)) {
      const own = Object.hasOwn(members, name) ? members[name] : undefined;
      const held: Held | undefined = own ?? (others && ["one", others]);
      if (!held) continue;
      const [how, inner] = held;
      const there = `${pointer}/${token(name)}`;
      if (how === "one") pending.push([value, inner, there, base]);
      else if (Array.isArray(value) ? how === "list" : how === "map" && isObject(value)) {
        for (const [key, one] of Object.entries(value as object)) {
          pending.push([one, inner, `${there}/${token(key)}`, base]);
        }
      }
    }
  }
  return places;
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
