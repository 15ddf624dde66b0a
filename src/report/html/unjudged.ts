import type { Outcome } from "../../engine/events.ts";
import { UNJUDGED } from "../../engine/judge.ts";
import { counted } from "../../lib/words.ts";
import { missingKeys, ruleCounts, unjudgedGroups } from "../groups.ts";
import type { Report } from "../report.ts";
import { type Content, html, prose } from "./markup.ts";
import { sign } from "./outcomes.ts";

/** Whether cases with this outcome are in the list of cases that were not judged. */
export function isUnjudged(outcome: Outcome): boolean {
  return UNJUDGED.has(outcome);
}

/** Why cases were not judged, the reasons first on which the verdict depends. */
export function unjudged(report: Report): Content {
  const groups = unjudgedGroups(report);
  if (groups.length === 0) return undefined;
  const total = groups.reduce((sum, { cases }) => sum + cases.length, 0);
  const keys = missingKeys(report);
  return html`<section aria-labelledby="unjudged">
    <h2 id="unjudged">Not judged</h2>
    <details ${report.verdict === "incomplete" && html`open`}>
      <summary>${counted(total, "case")}, and why</summary>
      ${
        keys.length > 0 &&
        html`<p class="quiet">
          To judge them, set in the profile: <code>${keys.join(", ")}</code>
        </p>`
      }
      <table class="reasons">
        <thead>
          <tr>
            <th scope="col">Cases</th>
            <th scope="col">Why</th>
            <th scope="col">Rules</th>
          </tr>
        </thead>
        <tbody>
          ${groups.map(
            ({ outcome, reason, cases }) =>
              html`<tr>
                <th scope="row">${cases.length} ${sign(outcome)} ${outcome}</th>
                <td>${prose(reason)}</td>
                <td><code>${ruleCounts(cases)}</code></td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </section>`;
}
