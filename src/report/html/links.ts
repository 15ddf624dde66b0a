import { html, type Markup } from "./markup.ts";

/** The address of a rule or a case within the page. */
export function address(id: string): string {
  return `#${encodeURIComponent(id)}`;
}

/** A link to a rule or a case. */
export function linkTo(id: string): Markup {
  return html`<a href="${address(id)}"><code>${id}</code></a>`;
}
