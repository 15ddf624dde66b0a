import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../contract/operations.ts";
import { OUTCOMES, type Outcome } from "../../engine/events.ts";
import { worst } from "../../engine/judge.ts";
import { countsOf } from "../groups.ts";
import type { Report, ReportCase, ReportRule } from "../report.ts";
import { address } from "./links.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { sign } from "./outcomes.ts";

/** What stands for the operation of cases that have none. */
export const NO_OPERATION = "none";

const COLUMNS: readonly (OperationId | typeof NO_OPERATION)[] = [...OPERATION_IDS, NO_OPERATION];
/** Of these the number of cases is shown too: somebody has to look at each. */
const COUNTED: ReadonlySet<Outcome> = new Set(["fail", "inconclusive", "not-provisioned", "warn"]);

/** Rules by operations, each cell with the worst outcome, and a link to the cases behind it. */
export function matrix({ rules }: Report): Markup {
  return html`<section class="matrix" aria-labelledby="matrix">
    <h2 id="matrix">Rules and operations</h2>
    <p class="quiet">Each cell shows the worst outcome of its cases and leads to them.</p>
    ${legend(rules)}
    <div class="scroll" role="region" aria-label="Matrix" tabindex="0">
      <table>
        <caption class="unseen">
          The worst outcome of each rule on each operation
        </caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            ${COLUMNS.map(columnHead)}
          </tr>
        </thead>
        ${areasOf(rules).map(
          (area) =>
            html`<tbody>
              <tr>
                <th class="area" scope="rowgroup" colspan="${COLUMNS.length + 1}">
                  ${area} <small>${sideOf(area)}</small>
                </th>
              </tr>
              ${rules.filter(({ id }) => areaOf(id) === area).map(row)}
            </tbody>`,
        )}
      </table>
    </div>
  </section>`;
}

/** The areas of rules, in the order of the report. */
function areasOf(rules: readonly ReportRule[]): string[] {
  return [...new Set(rules.map(({ id }) => areaOf(id)))];
}

function areaOf(rule: string): string {
  return rule.split(".", 1)[0] ?? rule;
}

/** Which side of the contract an area is about, where that is not the receiver. */
function sideOf(area: string): string | undefined {
  return area === "authorization-server" ? "the other side" : undefined;
}

function columnHead(column: (typeof COLUMNS)[number]): Markup {
  if (column === NO_OPERATION) return html`<th scope="col"><span>no operation</span></th>`;
  const words = column.split(/(?=[A-Z])/);
  return html`<th scope="col">
    <span
      ><small>${OPERATIONS[column].method}</small> ${words.map(
        (word, index) => html`${index > 0 && html`<wbr />`}${word}`,
      )}</span
    >
  </th>`;
}

function row(rule: ReportRule): Markup {
  const name = rule.id.slice(areaOf(rule.id).length + 1);
  return html`<tr>
    <th scope="row">
      <a href="${address(rule.id)}" title="${rule.title}">${name}</a>${
        rule.level !== "MUST" && html` <small>${rule.level}</small>`
      }
    </th>
    ${COLUMNS.map((column) => cell(rule, column))}
  </tr>`;
}

function cell(rule: ReportRule, column: string): Markup {
  const cases = rule.cases.filter(({ operation }) => (operation ?? NO_OPERATION) === column);
  if (cases.length === 0) return html`<td></td>`;
  const outcomes = cases.map(({ outcome }) => outcome);
  const outcome = worst(outcomes);
  const count = outcomes.filter((one) => one === outcome).length;
  const where = column === NO_OPERATION ? "no operation" : column;
  return html`<td>
    <a
      class="cell ${outcome}"
      href="${address(rule.id)}"
      data-rule="${rule.id}"
      data-operation="${column}"
      aria-label="${rule.id}, ${where}: ${tally(cases)}"
      >${sign(outcome)}${COUNTED.has(outcome) && html`<b aria-hidden="true">${count}</b>`}</a
    >
  </td>`;
}

/** `2 fail, 6 pass`, the worst first. */
export function tally(cases: readonly ReportCase[]): string {
  return countsOf(
    Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, cases.filter((one) => one.outcome === outcome).length]),
    ),
  );
}

function legend(rules: readonly ReportRule[]): Content {
  const seen = new Set(rules.flatMap(({ cases }) => cases.map(({ outcome }) => outcome)));
  return html`<ul class="legend" aria-label="Signs">
    ${OUTCOMES.filter((outcome) => seen.has(outcome)).map(
      (outcome) => html`<li>${sign(outcome)} ${outcome}</li>`,
    )}
  </ul>`;
}
