import { counted } from "../../lib/words.ts";
import { observationGroups } from "../groups.ts";
import type { Report } from "../report.ts";
import { type Content, html, prose } from "./markup.ts";

/** Longer values are folded behind their beginning, in characters. */
const LONGEST = 160;
const BEGINNING = 60;

/** What the deployment does where the contract leaves it open. */
export function observations(report: Report): Content {
  const rows = observationGroups(report);
  if (rows.length === 0) return undefined;
  return html`<section aria-labelledby="observations">
    <h2 id="observations">Observed, never judged</h2>
    <details>
      <summary>
        ${counted(rows.length, "thing")} that the contract leaves open, and what this deployment
        does
      </summary>
      <table class="observations">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Observed</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ title, value, count }) =>
              html`<tr>
                <th scope="row">
                  ${prose(title)}${count > 1 && html` <small>${counted(count, "case")}</small>`}
                </th>
                <td>${folded(value)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </section>`;
}

function folded(value: string): Content {
  if (value.length <= LONGEST) return value;
  return html`<details>
    <summary>${value.slice(0, BEGINNING).replace(/\s\S*$/, "")} …</summary>
    ${value}
  </details>`;
}
