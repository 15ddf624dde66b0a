import { type Content, html } from "./markup.ts";

/** A text in which the part is marked that another one does not have. */
export function marked(text: string, other: string): Content {
  if (text === other) return text;
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const last = text.length - end;
  const middle = text.slice(start, last);
  return [text.slice(0, start), middle !== "" && html`<mark>${middle}</mark>`, text.slice(last)];
}
