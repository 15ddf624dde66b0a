import { counted } from "../../lib/words.ts";
import { baselineText } from "../baseline.ts";
import { missingKeys, ruleCounts, unjudgedGroups, observationGroups } from "../groups.ts";
import type { Report } from "../report.ts";
import { html, type Content, type Markup, prose } from "./markup.ts";
import { linkTo, sign, tableHead } from "./parts.ts";

export function notices(report: Report): Content {
  return [suiteErrors(report), setup(report), baseline(report)];
}

function notice(kind: string, title: string, content: Content): Markup {
  return html`<section class="notice ${kind}" aria-labelledby="${kind}">
    <h2 id="${kind}">${title}</h2>
    ${content}
  </section>`;
}

function baseline({ baseline: note }: Report): Content {
  if (note === undefined) return undefined;
  const { unknown, stale } = note;
  return notice(
    "baseline",
    "Baseline",
    html`<p>${baselineText(note)}</p>
      ${list([
        ...unknown.map((id) => html`not known: ${linkTo(id)}`),
        ...stale.map(({ case: id, why }) => html`must go: <code>${id}</code> ${why}`),
      ])}`,
  );
}

function suiteErrors({ suiteErrors: errors }: Report): Content {
  if (errors.length === 0) return undefined;
  return notice(
    "suite-errors",
    "Faults of the suite itself",
    html`<p>Because of these, the verdict is worth nothing. Please report them.</p>
      ${list(errors.map((error) => html`${error}`))}`,
  );
}

function setup({ setup: problems }: Report): Content {
  if (problems.length === 0) return undefined;
  return notice(
    "set-up",
    "Set-up",
    html`${problems.map(
        ({ problem, remedy }) =>
          html`<p class="problem">${problem}</p>
            <p>${remedy}</p>`,
      )}
      <p class="quiet"><code>orgsync-conformance doctor</code> checks the set-up step by step.</p>`,
  );
}

function list(items: readonly Markup[]): Content {
  return (
    items.length > 0 &&
    html`<ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`
  );
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
        ${tableHead("Cases", "Why", "Rules")}
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

/** Longer values are folded behind their beginning, in characters. */
const LONGEST = 160;
const BEGINNING = 60;

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
        ${tableHead("What", "Observed")}
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
