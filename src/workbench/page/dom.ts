import { MAY_RUN_LEFT } from "../../report/html/markup.ts";
import { printablePieces } from "../../report/untrusted.ts";

/** What an element holds. Texts may be a target's; `undefined` and `false` are left out. */
export type Child = Node | string | number | undefined | false | readonly Child[];

/** A function listens to the event of that name; `true` is an attribute without a value; `undefined` and `false` are left out. */
type Attribute = string | boolean | undefined | ((event: Event) => void);

/** In UTF-16 units. A longer text is cut. */
const LONGEST_TEXT = 32_768;

/**
 * Makes an element. No function of this page reads markup: every text becomes a text node, is cut, and has its control and
 * format characters made visible.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (typeof value === "string") made.setAttribute(key, value);
  }
  fill(made, ...children);
  return made;
}

/** Puts these children in the place of all others. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...nodesOf(children));
}

/** A button that does something on this page. */
export function button(
  words: Child,
  onClick: () => void,
  attributes: Readonly<Record<string, Attribute>> = {},
): HTMLButtonElement {
  return element("button", { type: "button", click: onClick, ...attributes }, words);
}

/** A sentence in which backticks mark code. */
export function prose(text: string): Child {
  return text
    .split(/`([^`]+)`/)
    .map((piece, at) => (at % 2 === 1 ? element("code", {}, piece) : piece));
}

/** A text whose line breaks stay. */
export function lines(text: string): Child {
  return text
    .split("\n")
    .map((line, at) => (at === 0 ? line : [document.createTextNode("\n"), line]));
}

/** A text of several lines in a box. A long one can be scrolled, also with the keyboard. */
export function block(text: string, name: string): HTMLPreElement {
  const isLong = text.split("\n").length > 24 || text.length > 4000;
  const scrolls = { class: "long", tabindex: "0", role: "region", "aria-label": name };
  return element("pre", isLong ? scrolls : {}, lines(text));
}

function nodesOf(child: Child): Node[] {
  if (child === undefined || child === false) return [];
  if (typeof child === "string") return textOf(child);
  if (typeof child === "number") return [document.createTextNode(String(child))];
  return child instanceof Node ? [child] : child.flatMap(nodesOf);
}

function textOf(text: string): Node[] {
  const nodes = printablePieces(text, LONGEST_TEXT).map((piece, at) => {
    if (at % 2 === 0) return document.createTextNode(piece);
    const escape = document.createElement("span");
    escape.className = "escape";
    escape.textContent = piece;
    return escape;
  });
  if (!MAY_RUN_LEFT.test(text)) return nodes;
  const isolated = document.createElement("bdi");
  isolated.append(...nodes);
  return [isolated];
}
