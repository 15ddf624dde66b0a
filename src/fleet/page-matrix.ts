import { OUTCOMES, type Outcome } from "../engine/events.ts";
import { counted } from "../lib/words.ts";
import { html, type Markup } from "../report/html/markup.ts";
import { NEEDS_ATTENTION, sign, SIGNS } from "../report/html/outcomes.ts";
import type { Deployment } from "./deployment.ts";

/**
 * A table of deployments by rules. Each cell is the worst outcome of the rule. Deployments without a report
 * are left out, and rules that need attention nowhere.
 */
export function fleetMatrix(deployments: readonly Deployment[]): Markup {
  const judged = deployments.flatMap(({ run, seen }) =>
    seen && run.verdict ? [{ name: run.name, outcomes: seen.outcomes }] : [],
  );
  const all = [...new Set(judged.flatMap(({ outcomes }) => [...outcomes.keys()]))];
  const rules = all.filter((rule) =>
    judged.some(({ outcomes }) => NEEDS_ATTENTION.has(outcomes.get(rule) ?? "pass")),
  );
  const found = new Set(
    judged.flatMap(({ outcomes }) => rules.flatMap((rule) => outcomes.get(rule) ?? [])),
  );
  const quiet = all.length - rules.length;
  return html`<section class="matrix" aria-labelledby="matrix">
    <h2 id="matrix">Deployments and rules</h2>
    <p class="quiet">
      Each cell is the worst outcome of a rule's
      cases.${quiet > 0 && ` ${counted(quiet, "rule")} of ${all.length} failed nowhere and left nothing open; the table leaves them out.`}
    </p>
    <ul class="legend" aria-label="Signs">
      ${OUTCOMES.filter((outcome) => found.has(outcome)).map(
        (outcome) => html`<li>${sign(outcome)} ${outcome}</li>`,
      )}
      <li>blank: not in the run</li>
    </ul>
    <div class="scroll fleet-matrix" role="region" aria-label="Matrix" tabindex="0">
      <table>
        <caption class="unseen">
          The worst outcome of each rule at each deployment
        </caption>
        <thead>
          <tr>
            <th scope="col">Deployment</th>
            ${rules.map((rule) => html`<th scope="col"><span>${rule}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${judged.map(
            ({ name, outcomes }) =>
              html`<tr>
                <th scope="row">${name}</th>
                ${rules.map((rule) => cell(outcomes.get(rule)))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** There are thousands of cells, so each is only a sign, which the legend explains. */
function cell(outcome: Outcome | undefined): Markup {
  return outcome === undefined
    ? html`<td></td>`
    : html`<td class="${outcome}">${SIGNS[outcome]}</td>`;
}
