import { type Content, html } from "./markup.ts";

const PLACE = /(RFC (\d+)(?: §(\d[\d.]*\d|\d))?|CVE-\d{4}-\d+)/;

/** A source with links to the RFCs and CVEs in it. */
export function source(text: string): Content {
  return text.split(new RegExp(PLACE.source, "g")).flatMap((piece, index): Content[] => {
    // Each match is followed by its two groups, which are in it.
    if (index % 4 > 1) return [];
    if (index % 4 === 0) return [piece];
    const [, , rfc, section] = PLACE.exec(piece) ?? [];
    const address =
      rfc === undefined
        ? `https://www.cve.org/CVERecord?id=${piece}`
        : `https://www.rfc-editor.org/rfc/rfc${rfc}${section === undefined ? "" : `#section-${section}`}`;
    return [html`<a href="${address}" rel="noreferrer">${piece}</a>`];
  });
}
