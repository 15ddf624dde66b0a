import { printable, printablePieces } from "../untrusted.ts";

const SOURCE: unique symbol = Symbol("source");

/** HTML that is not escaped. Only this file makes it, so a target's value is never markup. */
export interface Markup {
  readonly [SOURCE]: string;
}

/** The values of a template. All but markup is text; `undefined` and `false` are left out. */
export type Content = Markup | string | number | undefined | false | readonly Content[];

/** In UTF-16 units: more than is kept of any body, but little enough for a fast page. */
const LONGEST_TEXT = 8192;
/** Letters that may run from right to left and so move the text beside them. */
export const MAY_RUN_LEFT: RegExp =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * HTML from a template. Every text in it is escaped and cut, and its control and format characters are made
 * visible, between tags and in attribute values, which must be in double quotes. Indentation is removed.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const parts = partsOf(template);
  let source = "";
  for (const [index, { fixed, textual }] of parts.entries()) {
    source += fixed + sourceOf(values[index], textual);
  }
  return { [SOURCE]: source };
}

interface Part {
  readonly fixed: string;
  readonly textual: (text: string) => string;
}

const PARTS = new WeakMap<TemplateStringsArray, readonly Part[]>();

function partsOf(template: TemplateStringsArray): readonly Part[] {
  const known = PARTS.get(template);
  if (known) return known;
  const parts = template.map((string, index): Part => {
    const before = template.slice(0, index + 1).join("");
    const inTag = before.lastIndexOf("<") > before.lastIndexOf(">");
    return {
      fixed: string.replaceAll(/\s*\n\s*/g, "\n"),
      textual: inTag ? inAttribute : (text) => pieces(text, LONGEST_TEXT, mark),
    };
  });
  PARTS.set(template, parts);
  return parts;
}

/**
 * Text of several lines, for a `pre`.
 * @param limit in UTF-16 units; default 8192
 */
export function block(text: string, limit: number = LONGEST_TEXT): Markup {
  return { [SOURCE]: pieces(text, limit, (escape) => (escape === "\\n" ? "\n" : mark(escape))) };
}

/** A sentence in which backticks mark code. */
export function prose(text: string): Content {
  return text
    .split(/`([^`]+)`/)
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
}

/** Text for a place where no element is allowed, such as `title`. */
export function unmarked(text: string): Markup {
  return { [SOURCE]: inAttribute(text) };
}

/** The suite's own style or script. */
export function verbatim(source: string): Markup {
  return { [SOURCE]: source };
}

/**
 * A script element. It is no tagged template, because translators of TypeScript rewrite those with the end of a script.
 * @param attributes the suite's own
 */
export function scriptElement(attributes: string, code: string): Markup {
  return verbatim(`<script ${attributes}>${code}</script>`);
}

export function toSource(markup: Markup): string {
  return markup[SOURCE];
}

function sourceOf(value: Content, textual: (text: string) => string): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string") return textual(value);
  if (typeof value === "number") return String(value);
  if (SOURCE in value) return value[SOURCE];
  return value.map((one) => sourceOf(one, textual)).join("");
}

function inAttribute(text: string): string {
  return entities(printable(text, LONGEST_TEXT));
}

function pieces(text: string, limit: number, show: (escape: string) => string): string {
  const source = printablePieces(text, limit)
    .map((piece, index) => (index % 2 === 1 ? show(piece) : entities(piece)))
    .join("");
  return MAY_RUN_LEFT.test(source) ? `<bdi>${source}</bdi>` : source;
}

function mark(escape: string): string {
  return `<span class="escape">${escape}</span>`;
}

function entities(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
