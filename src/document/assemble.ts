import { SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import type { UnresolvedReference } from "../profile/document.ts";
import { createAnchors, type PartPlace, type Target } from "./anchors.ts";
import { nameOf, refused } from "./name.ts";
import { localTarget } from "./references.ts";
import { type Held, type Kind, SHAPES } from "./shape.ts";

/** The extension of the document that holds its other parts. */
const PARTS = "x-conformance-parts";
/** A name such as urn:… is no place to read. */
const NAME = /^(?!https?:|file:)[a-z][a-z\d+.-]+:/i;

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
  /** All its references point into itself, except those that lead nowhere. */
  readonly root: Readonly<Record<string, unknown>>;
  /** The objects whose `$ref` is a reference; any other `$ref` is data. */
  readonly references: ReadonlySet<object>;
  /** References that lead nowhere, or to what may not or cannot be read. */
  readonly unresolved: readonly Unresolved[];
}

export interface Unresolved extends UnresolvedReference {
  /** True for a pointer into a file or URL that was read: the document is not valid. */
  readonly isWrong: boolean;
}

/** A node of a document whose kind is known. */
interface Node {
  readonly node: unknown;
  readonly kind: Kind;
  readonly part: PartPlace;
}

/** A reference, with the node that has it. */
interface Reference extends Node {
  readonly node: Record<string, unknown>;
  readonly text: string;
}

/**
 * Puts the parts of a document into it, each once, and rewrites its references to point there, those by `$id`,
 * `$anchor` and `$dynamicAnchor` included. A `$dynamicRef` becomes a `$ref` where only one schema has its
 * `$dynamicAnchor`; where several have, it depends on the way that validation took, and stays. Only the places where
 * OpenAPI has references (`SHAPES`) count; a `$ref` in an example or in other data is data. A reference that cannot be
 * resolved stays, and is listed.
 * @param document as it was parsed; it is changed
 * @throws DocumentLimit from `readPart`
 */
export async function assemble(
  document: Part & { readonly value: Readonly<Record<string, unknown>> },
  readPart: ReadPart,
): Promise<Assembled> {
  const root: Record<string, unknown> = document.value;
  const isNamed = !String(root["openapi"]).startsWith("3.0");
  const anchors = createAnchors(isNamed);
  const own: PartPlace = { id: document.id, prefix: "" };
  anchors.addPart(root, own, "document");
  const values: unknown[] = [];
  const parts = new Map([[document.id, own]]);
  /** Why a part cannot be read, by the reference and the part that has it. */
  const unread = new Map<string, string>();
  const visited = new Map<object, Set<Kind>>();
  /** Where references lead. */
  const references = new Map<object, Target | undefined>();
  const misplaced = new Map<object, Unresolved>();
  const pending: Node[] = [{ node: root, kind: "document", part: own }];
  /** References that lead nowhere so far: their target may be behind another reference, or in a part that is read later. */
  let open: Reference[] = [];
  /** Dynamic references that lead nowhere so far. They are followed when all other schemas are known. */
  let dynamic: Reference[] = [];

  for (;;) {
    const place = pending.pop();
    if (place) await visit(place);
    else if (!(await retry()) && !(await followDynamic())) break;
  }
  return { root, references: new Set(references.keys()), unresolved: listed() };

  async function visit({ node, kind, part }: Node): Promise<void> {
    if (!isObject(node) || visited.get(node)?.has(kind)) return;
    visited.set(node, (visited.get(node) ?? new Set()).add(kind));
    const shape = SHAPES[kind];
    const { $ref: reference, $dynamicRef: moving } = node;
    if (typeof reference === "string") {
      if (shape.reference !== "no" || reference.startsWith("#"))
        await follow({ node, kind, part, text: reference });
      else misplace(node, kind, part, reference);
      if (shape.reference === "alone") return;
    }
    if (kind === "schema" && isNamed && typeof moving === "string") {
      const place = { node, kind, part, text: moving };
      if (anchors.find(moving, node, part) === undefined) await partOf(moving, place);
      dynamic.push(place);
    }
    for (const [name, value] of Object.entries(node)) {
      const known = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
      const held = known ?? (shape.others && (["one", shape.others] as const));
      if (held) pending.push(...heldPlaces(held, value, part));
    }
  }

  function heldPlaces([how, kind]: Held, value: unknown, part: PartPlace): Node[] {
    if (how === "list") return Array.isArray(value) ? value.map(as) : [];
    if (how === "one") return [as(value)];
    if (!isObject(value)) return [];
    const { $ref: reference } = value;
    if (typeof reference === "string" && !reference.startsWith("#"))
      misplace(value, kind, part, reference);
    return Object.values(value).map(as);

    function as(node: unknown): Node {
      return { node, kind, part };
    }
  }

  function misplace(node: object, kind: Kind, { id }: PartPlace, reference: string): void {
    const why = refused(reference, id, "is in a place where OpenAPI allows no reference").message;
    misplaced.set(node, { kind, problem: why, isWrong: true });
  }

  async function follow(place: Reference): Promise<void> {
    const { node, kind } = place;
    const target = references.get(node) ?? (await targetOf(place));
    references.set(node, target);
    if (target) node["$ref"] = `#${target.pointer}`;
    const found = target && localTarget(root, `#${target.pointer}`);
    if (!target || found === undefined) {
      open.push(place);
      return;
    }
    if (kind === "schema") anchors.addSchema(found, target);
    pending.push({ node: found, kind, part: target.part });
  }

  /** Where a reference leads; the pointer may lead nowhere yet. */
  async function targetOf(place: Reference): Promise<Target | undefined> {
    const { node, part, text } = place;
    const [path = "", fragment = ""] = text.split(/#(.*)/s, 2);
    const isPointer = fragment === "" || fragment.startsWith("/");
    if (path === "" && isPointer) {
      const inner = `${anchors.resourceOf(node, part)}${fragment}`;
      const isInner = localTarget(root, `#${inner}`) !== undefined;
      return { pointer: isInner ? inner : `${part.prefix}${fragment}`, part };
    }
    const known = anchors.find(text, node, part);
    if (known) return known;
    const there = await partOf(text, place);
    if (!there) return undefined;
    return isPointer
      ? { pointer: `${there.prefix}${fragment}`, part: there }
      : anchors.find(`#${fragment}`, {}, there);
  }

  /** Reads the part that a reference names; `undefined` for none. */
  async function partOf(text: string, { kind, part }: Reference): Promise<PartPlace | undefined> {
    const [path = ""] = text.split("#", 1);
    if (path === "" || NAME.test(path) || unread.has(keyOf(path, part))) return undefined;
    try {
      const { id, value } = await readPart(path, part.id);
      const known = parts.get(id);
      const there = known ?? { id, prefix: `/${PARTS}/${values.length}` };
      if (!known) {
        parts.set(id, there);
        values.push(value);
        root[PARTS] = values;
      }
      if (kind !== "plain") anchors.addPart(value, there);
      return there;
    } catch (error) {
      if (!(error instanceof SuiteError)) throw error;
      unread.set(keyOf(path, part), error.message);
      return undefined;
    }
  }

  /** Follows open references again; false when none leads further than before. */
  async function retry(): Promise<boolean> {
    const again = open;
    open = [];
    for (const place of again) await follow(place);
    return open.length < again.length;
  }

  /** Follows the dynamic references that lead to one schema alone; false when there is none. */
  async function followDynamic(): Promise<boolean> {
    const waiting = dynamic;
    dynamic = [];
    for (const place of waiting) {
      const { node, text, part } = place;
      const name = text.split("#")[1] ?? "";
      const isPlain = name === "" || name.startsWith("/");
      const target = isPlain ? await targetOf(place) : anchors.find(text, node, part);
      if (!target || anchors.dynamicCount(name) > 1) {
        dynamic.push(place);
        continue;
      }
      delete node["$dynamicRef"];
      await follow({ ...place, node: withReference(node, text) });
    }
    return dynamic.length < waiting.length;
  }

  /** The node that has a dynamic reference as a `$ref`: the node itself, or one beside its own `$ref`. */
  function withReference(node: Record<string, unknown>, text: string): Record<string, unknown> {
    if (node["$ref"] === undefined) {
      node["$ref"] = text;
      return node;
    }
    const { allOf } = node;
    const beside = { $ref: text };
    anchors.addBeside(beside, node);
    node["allOf"] = [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), beside];
    return beside;
  }

  /** What could not be resolved. The references get the names that they have in messages. */
  function listed(): Unresolved[] {
    const left = [
      ...open.map((one) => ["$ref", one] as const),
      ...dynamic.map((one) => ["$dynamicRef", one] as const),
    ];
    const found = left.map(([keyword, { node, kind, part, text }]): Unresolved => {
      const [path = ""] = text.split("#", 1);
      if (part.id !== own.id && path === "") node[keyword] = `${nameOf(part.id)}${text}`;
      else node[keyword] = text;
      const isWrong = keyword === "$ref" && references.get(node) !== undefined;
      const name = text.split("#")[1] ?? "";
      const problem =
        anchors.dynamicCount(name) > 1 && keyword === "$dynamicRef"
          ? refused(text, part.id, "is one of several schemas, which depends on the value").message
          : (unread.get(keyOf(path, part)) ?? refused(text, part.id, "leads nowhere").message);
      return { kind, problem, isWrong };
    });
    // A pointer may lead nowhere because it leads through what cannot be read.
    const isWhole = found.every(({ isWrong }) => isWrong);
    const all = [
      ...misplaced.values(),
      ...found.map((one) => ({ ...one, isWrong: one.isWrong && isWhole })),
    ];
    return [...new Map(all.map((one) => [`${one.kind} ${one.problem}`, one])).values()];
  }
}

function keyOf(path: string, { id }: PartPlace): string {
  return `${id}\n${path}`;
}
