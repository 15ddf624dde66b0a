import { type Markup, toSource } from "./markup.ts";
import { pairUp } from "./pairs.ts";

/**
 * HTML as JSON. A node is a text, or an element: its name with its class after a dot, its other attributes if it has
 * any, and its children. An array without a name is a row of nodes. A number is an index into the list of shared nodes, also
 * in the place of a name.
 */
export type Node = number | string | readonly (Node | Readonly<Record<string, string>>)[];

/** A collection of HTML in which each part is kept once. */
export interface Store {
  /** Puts HTML into the store, for one use. Returns its index. */
  add(markup: Markup): number;
  /** Puts a text into the store, for one use. Returns its index. */
  text(text: string): number;
  /** The nodes that are used more than once, and a function that returns the node at an index. */
  pack(): { readonly nodes: readonly Node[]; readonly at: (place: number) => Node };
}

/** The start of an element: its name, and its attributes if it has any. */
type Own = readonly [name: string] | readonly [name: string, attributes: Record<string, string>];

interface Entry {
  /** A text; or the index of an element's name, and its attributes if it has any. */
  readonly own: string | readonly [name: number, ...attributes: Record<string, string>[]];
  readonly children: number[];
}

export function createStore(): Store {
  const entries: Entry[] = [];
  const places = new Map<string, number>();
  /** What is used from outside. */
  const roots: number[] = [];

  function put(own: string | Own, children: readonly number[] = []): number {
    if (typeof own === "string") return keep(own, []);
    const [name, ...attributes] = own;
    return keep([put(name), ...attributes], children);
  }

  function keep(own: Entry["own"], children: readonly number[]): number {
    const key = JSON.stringify([own, children]);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, entries.length);
    return entries.push({ own, children: [...children] }) - 1;
  }

  function use(place: number): number {
    roots.push(place);
    return place;
  }

  /** How often each entry is used. */
  function uses(): number[] {
    const counts = entries.map(() => 0);
    const count = (place: number): void => void (counts[place] = (counts[place] ?? 0) + 1);
    roots.forEach(count);
    for (const { own, children } of entries) {
      if (typeof own !== "string") count(own[0]);
      children.forEach(count);
    }
    return counts;
  }

  function row(parts: readonly string[], each: (part: string) => number): number {
    return put(
      [""],
      parts.map((part) => each(part)),
    );
  }

  /** Stores a text of several lines line by line, because messages share most of their lines. */
  function lines(text: string): number {
    const parts = text.split(/(?<=\n)(?=[^\n])/);
    return parts.length < 3 ? words(text) : row(parts, words);
  }

  /** Stores ids apart, because messages share the text around them. */
  function words(text: string): number {
    const parts = text.split(LONG_ID).filter((part) => part !== "");
    return parts.length < 2 ? put(text) : row(parts, put);
  }

  function add(markup: Markup): number {
    const open: [own: Own, children: number[]][] = [[[""], []]];
    for (const [whole, closing, name = "", attributes = ""] of toSource(markup).matchAll(PIECE)) {
      const [[parent], children] = open.at(-1) ?? [[""], []];
      if (name === "") {
        const blank = whole.trim() === "" && ROWS.has(parent.replace(/\..*/, ""));
        if (!blank) children.push(lines(decoded(whole)));
      } else if (closing !== "") {
        const [own, its] = open.pop() ?? [[""], []];
        open.at(-1)?.[1].push(put(own, its));
      } else if (VOID.has(name)) children.push(put(element(name, attributes)));
      else open.push([element(name, attributes), []]);
    }
    return use(put([""], open[0]?.[1] ?? []));
  }

  return {
    add,
    text: (text) => use(put(text)),
    pack() {
      const name = put("");
      pairUp(
        entries.map(({ children }) => children),
        (...pair) => entries.push({ own: [name], children: pair }) - 1,
      );
      const counts = uses();
      const often = entries
        .map((_, place) => place)
        .filter((place) => (counts[place] ?? 0) > 1)
        .toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0));
      const listed = new Map(often.map((place, index) => [place, index]));
      const at = (place: number): Node => listed.get(place) ?? whole(place);
      const whole = (place: number): Node => {
        const { own, children } = entries[place] ?? { own: "", children: [] };
        if (typeof own === "string") return own;
        const [nameAt, ...attributes] = own;
        return [at(nameAt), ...attributes, ...children.map(at)];
      };
      return { nodes: often.map(whole), at };
    },
  };
}

/** A UUID, or another id that is written in hexadecimal digits. */
const LONG_ID =
  /((?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-f])|(?<![\da-f])[\da-f]{18,}(?![\da-f]))/;
/** A tag as `html` writes it, or the text before the next tag. */
const PIECE = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|[^<]+/g;
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)")?/g;
const VOID: ReadonlySet<string> = new Set(["br", "wbr", "input"]);
/** Elements between whose children white space has no meaning. */
const ROWS: ReadonlySet<string> = new Set([
  "article",
  "blockquote",
  "details",
  "div",
  "dl",
  "table",
  "tbody",
  "thead",
  "tr",
  "ul",
]);
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };

function element(name: string, source: string): Own {
  const { class: classes, ...others } = Object.fromEntries(
    [...source.matchAll(ATTRIBUTE)].map(([, attribute = "", value = ""]): [string, string] => [
      attribute,
      decoded(value),
    ]),
  );
  const whole = classes ? `${name}.${classes}` : name;
  return Object.keys(others).length > 0 ? [whole, others] : [whole];
}

function decoded(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
}
