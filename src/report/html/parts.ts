import { type Outcome, OUTCOMES } from "../../engine/events.ts";
import { printable } from "../untrusted.ts";
import { html, type Markup, type Content } from "./markup.ts";

export function address(id: string): string {
  return `#${encodeURIComponent(printable(id))}`;
}

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

/** A sign for each outcome, for readers who do not see colours. */
export const SIGNS: Readonly<Record<Outcome, string>> = {
  fail: "✕",
  inconclusive: "?",
  "not-provisioned": "○",
  warn: "!",
  pass: "✓",
  observed: "•",
  "not-applicable": "–",
};

export const NEEDS_ATTENTION: ReadonlySet<Outcome> = new Set([
  "fail",
  "inconclusive",
  "not-provisioned",
  "warn",
]);

/** The sign of an outcome, in colour and shape. Words beside it must state it too. */
export function sign(outcome: Outcome): Markup {
  return html`<span class="sign ${outcome}" aria-hidden="true">${SIGNS[outcome]}</span>`;
}

/** The signs of these outcomes and what they stand for, then other items. */
export function legend(outcomes: ReadonlySet<Outcome>, others?: Content): Markup {
  return html`<ul class="legend" aria-label="Signs">
    ${OUTCOMES.filter((outcome) => outcomes.has(outcome)).map(
      (outcome) => html`<li>${sign(outcome)} ${outcome}</li>`,
    )}
    ${others}
  </ul>`;
}

/** The head of a table: the names of its columns. */
export function tableHead(...names: readonly string[]): Markup {
  return html`<thead>
    <tr>
      ${names.map((name) => html`<th scope="col">${name}</th>`)}
    </tr>
  </thead>`;
}

/** Names and what belongs to them. Those of which the value is false are left out. */
export function factList(rows: readonly (readonly [name: Content, value: Content])[]): Markup {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        value !== false &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
