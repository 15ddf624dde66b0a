import { requirement } from "../../contract/requirements.ts";
import { counted } from "../../lib/counted.ts";
import { type RuleFailures, knownFailures, newFailures } from "../groups.ts";
import type { Report } from "../report.ts";
import { behaviour } from "../text/diagnosis.ts";
import { quoted, wholeCase } from "./cases.ts";
import { linkTo } from "./links.ts";
import { type Content, html, type Markup, prose } from "./markup.ts";
import { sign } from "./outcomes.ts";
import { source } from "./sources.ts";

/** Every rule that failed: its requirement, the diagnosis, and its first failure in full. */
export function failures(report: Report): Content {
  const failed = newFailures(report);
  if (failed.length === 0) return undefined;
  return html`<section class="failures" aria-labelledby="failures">
    <h2 id="failures">What failed</h2>
    ${failed.map((one) => ruleFailures(report, one))}
  </section>`;
}

function ruleFailures(report: Report, { rule, cases }: RuleFailures): Markup {
  const [main] = rule.requirements;
  const known = knownFailures(report);
  const [first, ...others] = cases;
  return html`<article class="failure">
    <h3>
      ${sign("fail")} ${linkTo(rule.id)} <small>${counted(cases.length, "case")} failed</small>
    </h3>
    <p>${prose(rule.title)}</p>
    ${main !== undefined && quoted(requirement(main).text, requirement(main).clause)}
    ${diagnosis(report, rule.id)}
    ${
      first &&
      html`<div class="case fail">
        <h4>${linkTo(first.id)}</h4>
        <div class="content">${wholeCase(report, rule, first, known)}</div>
      </div>`
    }
    ${
      others.length > 0 &&
      html`<details class="others">
        <summary>${counted(others.length, "more case")} of this rule</summary>
        <ul>
          ${others.map(({ id, actual }) => html`<li>${linkTo(id)} ${actual}</li>`)}
        </ul>
      </details>`
    }
  </article>`;
}

/** The known faults that the failures of a rule resemble, which is no proof of their causes. */
function diagnosis({ diagnoses }: Report, rule: string): Content {
  const found = diagnoses.filter((one) => one.rule === rule);
  return html`<div class="diagnosis">
    ${found.length === 0 && html`<p>No known fault fits these failures.</p>`}
    ${found.map(
      (one, index) =>
        html`<p class="problem">${prose(behaviour(one, index > 0))}.</p>
          <p>
            Probable cause:
            ${prose(one.look)}${one.source !== undefined && html` ${source(one.source)}`}
          </p>`,
    )}
  </div>`;
}
