import type { Outcome } from "../../engine/events.ts";
import { html, type Markup } from "./markup.ts";

/** A sign for each outcome: whoever sees no colour sees these. */
export const SIGNS: Readonly<Record<Outcome, string>> = {
  fail: "✕",
  inconclusive: "?",
  "not-provisioned": "○",
  warn: "!",
  pass: "✓",
  observed: "•",
  "not-applicable": "–",
};

/** The sign of an outcome in its colour and shape; what it says must stand beside it in words. */
export function sign(outcome: Outcome): Markup {
  return html`<span class="sign ${outcome}" aria-hidden="true">${SIGNS[outcome]}</span>`;
}
