import { RECEIVER_CHECKS, type ReceiverCheck } from "../../contract/checks.ts";
import type { Report } from "../report.ts";
import { address } from "./links.ts";
import { type Content, html } from "./markup.ts";
import { sign } from "./outcomes.ts";

/** The receiver checks in the order of the contract, each with its worst outcome: a fault lets bad tokens through there. */
export function checks({ rules }: Report): Content {
  const found = RECEIVER_CHECKS.map((check) => rules.find(({ id }) => id === ruleOf(check)));
  if (!found.some((rule) => rule)) return undefined;
  return html`<ol class="checks" aria-label="The seven receiver checks">
    ${RECEIVER_CHECKS.map((check, at) => {
      const rule = found[at];
      if (!rule) return html`<li class="left-out">${check} <small>not run</small></li>`;
      const { id, outcome, cases } = rule;
      const count = cases.filter((one) => one.outcome === outcome).length;
      return html`<li class="${outcome}">
        ${sign(outcome)} <a href="${address(id)}">${check}</a> <small>${count} ${outcome}</small>
      </li>`;
    })}
  </ol>`;
}

function ruleOf(check: ReceiverCheck): string {
  return `receiver.${check === "policy" ? "local-policy" : check}`;
}
