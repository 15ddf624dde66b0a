import { LEVELS } from "../../contract/levels.ts";
import { OPERATION_IDS } from "../../contract/operations.ts";
import { OUTCOMES } from "../../engine/events.ts";
import type { Report } from "../report.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { clientsOf, hasServer, NO_CLIENT, NO_OPERATION } from "./matrix.ts";
import { sign } from "./outcomes.ts";

/** The filters of the list of cases, hidden until the script, which they need, shows them. */
export function filters(report: Report): Markup {
  const { rules, counts } = report;
  const clients = clientsOf(report);
  const total = (outcome: (typeof OUTCOMES)[number]): number =>
    LEVELS.reduce((sum, level) => sum + counts[level][outcome], 0);
  return html`<div class="filters">
    <form id="filters" role="search" aria-label="Cases" hidden>
      <fieldset>
        <legend>Outcome</legend>
        ${OUTCOMES.filter((outcome) => total(outcome) > 0).map((outcome) =>
          choice(
            "outcome",
            outcome,
            html`${sign(outcome)} ${outcome} <small>${total(outcome)}</small>`,
          ),
        )}
      </fieldset>
      <fieldset>
        <legend>Level</legend>
        ${LEVELS.map((level) => choice("level", level, level))}
      </fieldset>
      <label
        >Rule
        ${select(
          "rule",
          "any",
          rules.map(({ id }) => [id, id]),
        )}</label
      >
      <label
        >${hasServer(report) ? "Operation or client" : "Operation"}
        ${select("operation", "any", [
          ...OPERATION_IDS.map((id): [string, string] => [id, id]),
          [NO_OPERATION, "no operation"],
          ...clients.map(({ name, place }): [string, string] => [place, `client ${name}`]),
          ...(hasServer(report) ? [[NO_CLIENT, "no client"] as [string, string]] : []),
        ])}</label
      >
      <label class="text"
        >Text <input type="search" name="q" autocomplete="off" spellcheck="false"
      /></label>
      <button type="reset">Show all</button>
    </form>
    <p id="found" hidden>
      <span id="shown" role="status"></span> <a href="#matrix">Back to the matrix</a>
    </p>
  </div>`;
}

function choice(name: string, value: string, content: Content): Markup {
  return html`<label class="choice"
    ><input type="checkbox" name="${name}" value="${value}" />${content}</label
  >`;
}

function select(
  name: string,
  any: string,
  options: readonly [value: string, text: string][],
): Markup {
  return html`<select name="${name}">
    <option value="">${any}</option>
    ${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}
  </select>`;
}
