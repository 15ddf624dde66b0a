import type { Outcome } from "../../engine/events.ts";
import { html, type Markup } from "./markup.ts";

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

/** Outcomes that need attention. */
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
