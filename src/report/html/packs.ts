import { counted } from "../../lib/words.ts";
import { sumOf, tally } from "../groups.ts";
import { took } from "../layout.ts";
import { type PackReport, type Report, type ReportCase, reportOfPack } from "../report.ts";
import { failuresNamed, warningsNamed } from "./failures.ts";
import type { Section } from "./frame.ts";
import { type Content, html, type Markup, prose } from "./markup.ts";
import { sign, tableHead } from "./parts.ts";
import { VERDICTS } from "./verdict.ts";

/** The packs' sections, for the navigation of the page. */
export function packSections({ packs = [] }: Report): readonly Section[] {
  return packs.map((pack) => ({ id: idOf(pack), name: pack.title }));
}

/** The verdicts of the packs in a line each, beside that of the contract. */
export function packVerdicts({ packs = [] }: Report): Content {
  if (packs.length === 0) return undefined;
  return html`<ul class="packs" aria-label="Verdicts of packs">
    ${packs.map((pack) => {
      const { words, like } = VERDICTS[pack.verdict];
      return html`<li>
        ${sign(like)} <a href="#${idOf(pack)}">${pack.title}</a>: <b>${words}</b>
      </li>`;
    })}
  </ul>`;
}

/** A section for each pack: its verdict, what failed, and every rule with its cases. */
export function packParts(report: Report): Content {
  return (report.packs ?? []).map((pack) => section(pack, reportOfPack(report, pack)));
}

function idOf({ id }: PackReport): string {
  return `pack-${id}`;
}

/** The sentence of a verdict without the words that the heading has. */
function saidOf({ title, verdictText }: PackReport): string {
  const rest = verdictText.slice(verdictText.startsWith(`${title}: `) ? title.length + 2 : 0);
  return rest.replace(/^\S+(?: conformant)?\. /, "");
}

function section(pack: PackReport, report: Report): Markup {
  const { words, like } = VERDICTS[report.verdict];
  const id = idOf(pack);
  return html`<section class="pack verdict ${like}" aria-labelledby="${id}">
      <h2 id="${id}">${sign(like)} ${pack.title}: ${words}</h2>
      <p class="lead">${prose(saidOf(pack))}</p>
      <p class="quiet">
        ${tally(report.rules.flatMap(({ cases }) => cases))}; ${counted(report.requests, "request")}
        in ${took(report)}, ${counted(sumOf(report.writes), "accepted write")}. None of it changes
        the verdict on the contract.
      </p>
    </section>
    ${failuresNamed(report, `${id}-failures`, `${pack.title}: what failed`)}
    ${warningsNamed(report, `${id}-warnings`, `${pack.title}: warnings`)}
    <section aria-labelledby="${id}-rules">
      <h2 id="${id}-rules">${pack.title}: rules and cases</h2>
      ${report.rules.map(
        (rule) =>
          html`<details>
            <summary>
              ${sign(rule.outcome)} <code>${rule.id}</code> ${prose(rule.title)}
              <small>${tally(rule.cases)}</small>
            </summary>
            <table>
              ${tableHead("Case", "Level", "Outcome", "What was seen")}
              <tbody>
                ${rule.cases.map((one) => row(one))}
              </tbody>
            </table>
          </details>`,
      )}
    </section>`;
}

function row(one: ReportCase): Markup {
  const { id, title, level, outcome, reason, actual } = one;
  return html`<tr id="${id}">
    <th scope="row"><code>${id.slice(id.indexOf("/") + 1)}</code> ${prose(title ?? "")}</th>
    <td>${level}</td>
    <td>${sign(outcome)} ${outcome}</td>
    <td>${prose(actual ?? reason ?? "")}</td>
  </tr>`;
}
