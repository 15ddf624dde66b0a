import { printable } from "../untrusted.ts";
import { html, type Markup, type Content } from "./markup.ts";

/** The address of a rule or a case within the page. */
export function address(id: string): string {
  return `#${encodeURIComponent(printable(id))}`;
}

/** A link to a rule or a case. */
export function linkTo(id: string): Markup {
  return html`<a href="${address(id)}"><code>${id}</code></a>`;
}

const PLACE = /(RFC \d+|§\d+(?:\.\d+)*|CVE-\d{4}-\d+)/;

/** A source with links to the RFCs, their sections, and the CVEs in it. */
export function source(text: string): Content {
  let rfc: string | undefined;
  return text.split(PLACE).map((piece, index) => {
    if (index % 2 === 0) return piece;
    if (piece.startsWith("CVE")) return link(`https://www.cve.org/CVERecord?id=${piece}`, piece);
    if (piece.startsWith("RFC")) rfc = `https://www.rfc-editor.org/rfc/rfc${piece.slice(4)}`;
    if (rfc === undefined) return piece;
    return link(piece.startsWith("§") ? `${rfc}#section-${piece.slice(1)}` : rfc, piece);
  });
}

function link(url: string, text: string): Content {
  return html`<a href="${url}" rel="noreferrer">${text}</a>`;
}
