import { counted } from "../../lib/words.ts";
import { baselineText } from "../baseline.ts";
import { type Blocker, blockersOf, keysOfAll } from "../blockers.ts";
import { foldCommand } from "../curl.ts";
import { inapplicableGroups, observationGroups, ruleCounts } from "../groups.ts";
import type { Report } from "../report.ts";
import { blockerWords } from "../text/blockers.ts";
import { html, type Content, type Markup, prose } from "./markup.ts";
import { linkTo, tableHead } from "./parts.ts";

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

/** What keeps cases from being judged, the blocker first that frees most. */
export function blocked(report: Report): Content {
  const blockers = blockersOf(report);
  if (blockers.length === 0) return undefined;
  const isResult = report.verdict === "incomplete";
  const keys = keysOfAll(blockers);
  const items = html`<ol class="blockers">
      ${blockers.map((one) => blockerItem(report, one))}
    </ol>
    ${
      keys.length > 0 &&
      html`<p class="quiet">For all of them, the profile needs: <code>${keys.join(", ")}</code></p>`
    }`;
  return html`<section class="blocked" aria-labelledby="blocked">
    <h2 id="blocked">${isResult ? "What blocks the verdict" : "Not judged"}</h2>
    ${
      isResult
        ? items
        : html`<details>
            <summary>
              ${counted(blockers.flatMap(({ cases }) => cases).length, "case")}, and what they wait
              for
            </summary>
            ${items}
          </details>`
    }
  </section>`;
}

function blockerItem(report: Report, blocker: Blocker): Markup {
  const { what, said, waiting, advice, next } = blockerWords(report, blocker);
  return html`<li>
    <p class="problem">${prose(what)}</p>
    ${said !== undefined && html`<p>It says: <q>${said}</q></p>`}
    <p>${waiting}.${advice !== undefined && html` ${prose(advice)}`}</p>
    <p class="part">Next command</p>
    <pre>${foldCommand(next, Infinity)}</pre>
    <details class="others">
      <summary>${counted(blocker.cases.length, "case")} by rule</summary>
      <code>${ruleCounts(blocker.cases)}</code>
    </details>
  </li>`;
}

/** Why cases do not apply, which changes no verdict. */
export function inapplicable(report: Report): Content {
  const groups = inapplicableGroups(report);
  if (groups.length === 0) return undefined;
  const total = groups.reduce((sum, { cases }) => sum + cases.length, 0);
  return html`<section aria-labelledby="inapplicable">
    <h2 id="inapplicable">Not applicable</h2>
    <details>
      <summary>${counted(total, "case")}, and why</summary>
      <table class="reasons">
        ${tableHead("Cases", "Why", "Rules")}
        <tbody>
          ${groups.map(
            ({ reason, cases }) =>
              html`<tr>
                <th scope="row">${cases.length}</th>
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
