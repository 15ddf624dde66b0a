import { html, type Markup } from "./markup.ts";

/** The address of a rule, a case or an exchange within the page. */
export function address(id: string): string {
  return `#${encodeURIComponent(id)}`;
}

/** The id under which an exchange stands on the page. */
export function exchangeId(id: string): string {
  return `exchange:${id}`;
}

/** A link to a rule or a case. */
export function linkTo(id: string): Markup {
  return html`<a href="${address(id)}"><code>${id}</code></a>`;
}
