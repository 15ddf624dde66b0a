import { areaOf, nameInArea, sideOfId } from "../../contract/ids.ts";
import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../contract/operations.ts";
import { worst } from "../../engine/judge.ts";
import { tally } from "../groups.ts";
import { casesOf, type Report, type ReportCase, type ReportRule } from "../report.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { address, legend, NEEDS_ATTENTION, sign } from "./parts.ts";

/** The column of cases without an operation. */
const NO_OPERATION = "none";
/** The column of cases about the authorization server as a whole. */
const NO_CLIENT = "server";

/** A column of one of the matrices: an operation, or a client of the authorization server. */
export interface Column {
  /** A place as `placeOf` returns it. */
  readonly place: string;
  readonly head: Content;
  /** The name for screen readers. */
  readonly spoken: string;
}

/** The column of a case in its side's matrix, in a word: its operation or client. */
export function placeOf(rule: string, { operation, client }: ReportCase): string {
  if (sideOfId(rule) === "receiver") return operation ?? NO_OPERATION;
  return client === undefined ? NO_CLIENT : clientPlace(client);
}

export function hasServer(report: Report): boolean {
  return serverRules(report).length > 0;
}

function serverRules({ rules }: Report): ReportRule[] {
  return rules.filter(({ id }) => sideOfId(id) === "authorization-server");
}

/** A prefix keeps clients apart from operations of the same name. */
function clientPlace(name: string): string {
  return `client:${name}`;
}

/**
 * A table of rules by operations, and one of the authorization server's rules by clients unless none of them
 * applies. Each cell has the worst outcome and a link to its cases.
 */
export function matrix(report: Report): Markup {
  const { rules } = report;
  const receiver = rules.filter(({ id }) => sideOfId(id) === "receiver");
  const server = serverRules(report);
  const showsServer = server.length > 0 && (receiver.length === 0 || server.some(applies));
  return html`<section class="matrix" aria-labelledby="matrix">
    <h2 id="matrix">${receiver.length > 0 ? "Rules and operations" : "Rules and clients"}</h2>
    <p class="quiet">Each cell shows the worst outcome of its cases and leads to them.</p>
    ${legend(new Set(casesOf(report).map(({ outcome }) => outcome)))}
    ${receiver.length > 0 && tables(receiver, operationColumns(), "Matrix", "operation")}
    ${
      showsServer &&
      html`${receiver.length > 0 && html`<h3>The authorization server: rules and clients</h3>`}
      ${tables(server, clientColumns(report), "Matrix of the authorization server", "client")}`
    }
  </section>`;
}

function applies({ cases }: ReportRule): boolean {
  return cases.some(({ outcome }) => outcome !== "not-applicable");
}

/** The columns of both matrices; those of clients only where the report has rules about them. */
export function columnsOf(report: Report): Column[] {
  return [...operationColumns(), ...(hasServer(report) ? clientColumns(report) : [])];
}

function operationColumns(): Column[] {
  return [
    ...OPERATION_IDS.map((id) => ({ place: id, head: operationHead(id), spoken: id })),
    { place: NO_OPERATION, head: "no operation", spoken: "no operation" },
  ];
}

function clientColumns(report: Report): Column[] {
  const clients = casesOf({ rules: serverRules(report) }).flatMap(({ client }) => client ?? []);
  return [
    ...[...new Set(clients)].map((name) => ({
      place: clientPlace(name),
      head: html`<small>client</small> ${name}`,
      spoken: `client ${name}`,
    })),
    { place: NO_CLIENT, head: "no client", spoken: "no client" },
  ];
}

/** The rules in at most two tables, which stand side by side if there is room. */
function tables(
  rules: readonly ReportRule[],
  columns: readonly Column[],
  name: string,
  what: string,
): Markup {
  const halves = inHalves(rules);
  return html`<div class="tables">
    ${halves.map((half, at) => table(half, columns, halves.length > 1 ? `${name}, part ${at + 1}` : name, what))}
  </div>`;
}

/** The rules, parted between two areas as evenly as possible. */
function inHalves(rules: readonly ReportRule[]): (readonly ReportRule[])[] {
  const areas = areasOf(rules).map((area) => rules.filter(({ id }) => areaOf(id) === area));
  const unevenness = (at: number): number =>
    Math.abs(areas.slice(0, at).flat().length - rules.length / 2);
  const best = areas.map((_, at) => at).toSorted((a, b) => unevenness(a) - unevenness(b))[0] ?? 0;
  return [areas.slice(0, best).flat(), areas.slice(best).flat()].filter((half) => half.length > 0);
}

function table(
  rules: readonly ReportRule[],
  columns: readonly Column[],
  name: string,
  what: string,
): Markup {
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0">
    <table>
      <caption class="unseen">
        The worst outcome of each rule on each ${what}
      </caption>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          ${columns.map(({ place, head }) => html`<th scope="col" data-place="${place}"><span>${head}</span></th>`)}
        </tr>
      </thead>
      ${areasOf(rules).map(
        (area) =>
          html`<tbody>
            <tr>
              <th class="area" scope="rowgroup" colspan="${columns.length + 1}">${area}</th>
            </tr>
            ${rules.filter(({ id }) => areaOf(id) === area).map((rule) => row(rule, columns))}
          </tbody>`,
      )}
    </table>
  </div>`;
}

function areasOf(rules: readonly ReportRule[]): string[] {
  return [...new Set(rules.map(({ id }) => areaOf(id)))];
}

function operationHead(id: OperationId): Markup {
  return html`<small>${OPERATIONS[id].method}</small> ${id
      .split(/(?=[A-Z])/)
      .map((word, index) => html`${index > 0 && html`<wbr />`}${word}`)}`;
}

function row(rule: ReportRule, columns: readonly Column[]): Markup {
  const name = nameInArea(rule.id);
  return html`<tr>
    <th scope="row">
      <a href="${address(rule.id)}" title="${rule.title}">${name}</a>${
        rule.level !== "MUST" && html` <small>${rule.level}</small>`
      }
    </th>
    ${columns.map((column) => cell(rule, column))}
  </tr>`;
}

function cell(rule: ReportRule, { place, spoken }: Column): Markup {
  const cases = rule.cases.filter((one) => placeOf(rule.id, one) === place);
  if (cases.length === 0) return html`<td></td>`;
  const outcomes = cases.map(({ outcome }) => outcome);
  const outcome = worst(outcomes);
  const count = outcomes.filter((one) => one === outcome).length;
  return html`<td>
    <a
      class="cell ${outcome}"
      href="${address(rule.id)}"
      aria-label="${rule.id}, ${spoken}: ${tally(cases)}"
      >${sign(outcome)}${NEEDS_ATTENTION.has(outcome) && html`<b aria-hidden="true">${count}</b>`}</a
    >
  </td>`;
}
