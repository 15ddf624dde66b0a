import { idInRule } from "../../contract/ids.ts";
import { requirement } from "../../contract/requirements.ts";
import type { Outcome } from "../../engine/events.ts";
import { capitalized, counted } from "../../lib/words.ts";
import {
  byMutation,
  knownFailures,
  measurements,
  newFailures,
  type RuleCases,
  rulesWith,
} from "../groups.ts";
import type { Report, ReportCase, ReportRule } from "../report.ts";
import { behaviour, isWhole, unexplainedText } from "../text/diagnosis.ts";
import { factTexts } from "../text/facts.ts";
import { notHeld } from "../text/not-held.ts";
import { quoted, wholeCase } from "./cases.ts";
import { type Content, html, type Markup, prose } from "./markup.ts";
import { address, linkTo, source, sign } from "./parts.ts";

/** Every rule that failed, the worst first, one line each. Opened, it shows the cause and the first failure in full. */
export function failures(report: Report): Content {
  return failuresNamed(report, "failures", "What failed");
}

/** Every rule that failed, under a heading of its own. */
export function failuresNamed(report: Report, id: string, title: string): Content {
  return lines(report, id, title, "fail", newFailures(report));
}

/** Every rule with a violated SHOULD and no failure, in the same way. */
export function warnings(report: Report): Content {
  return warningsNamed(report, "warnings", "Warnings");
}

/** Every rule with a violated SHOULD and no failure, under a heading of its own. */
export function warningsNamed(report: Report, id: string, title: string): Content {
  return lines(report, id, title, "warn", warned(report));
}

/** The rules with a violated SHOULD and no failure. */
export function warned(report: Report): RuleCases[] {
  return rulesWith(report, "warn").filter(({ rule }) => rule.outcome === "warn");
}

/** The probable cause of a rule's failures, or else what the rule demands. */
export function causeOf({ diagnoses }: Report, { id, title }: ReportRule): Content {
  const found = diagnoses.find((one) => one.rule === id && isWhole(one));
  return prose(found ? capitalized(found.behaves) : notHeld(title));
}

function lines(
  report: Report,
  id: string,
  title: string,
  outcome: Outcome,
  found: readonly RuleCases[],
): Content {
  if (found.length === 0) return undefined;
  return html`<section class="failures" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${found.map((one) => line(report, outcome, one, outcome === "fail" && found.length === 1))}
  </section>`;
}

/** A line of the list. The browser keeps at most one of them open, because they share a name. */
function line(
  report: Report,
  outcome: Outcome,
  { rule, cases }: RuleCases,
  alone: boolean,
): Markup {
  return html`<details class="failure ${outcome}" name="failure" ${alone && html`open`}>
    <summary>
      ${sign(outcome)}
      <h3><code>${rule.id}</code></h3>
      <span>${causeOf(report, rule)}</span>
      <small>${rule.clause}</small>
      <small class="count">${counted(cases.length, "case")}</small>
    </summary>
    ${content(report, outcome, { rule, cases })}
  </details>`;
}

function content(report: Report, outcome: Outcome, { rule, cases }: RuleCases): Markup {
  const [main] = rule.requirements;
  const known = knownFailures(report);
  const [first, ...others] = cases;
  return html`<div class="content">
    <p>${prose(notHeld(rule.title))}</p>
    ${main !== undefined && quoted(requirement(main).text, requirement(main).clause)}
    ${diagnosis(report, outcome, rule)}
    <div class="case ${outcome}">
      <h4>${linkTo(first.id)}</h4>
      <div class="content">${wholeCase(report, rule, first, known)}</div>
    </div>
    ${
      others.length > 0 &&
      html`<details class="others">
        <summary>${counted(others.length, "more case")} of this rule</summary>
        <ul>
          ${[...byMutation(others)].map(([name, alike]) => repeats(name, alike))}
        </ul>
      </details>`
    }
  </div>`;
}

/** A mutation with its cases: a change that is accepted on one operation is mostly accepted on others. */
function repeats(name: string, cases: readonly [ReportCase, ...ReportCase[]]): Markup {
  const [{ title, actual }] = cases;
  return html`<li>
    <code>${name}</code
    >${title !== undefined && html` ${prose(title)}`}${actual !== undefined && html`: ${actual}`}
    <small>
      ${cases.map(({ id }, at) => html`${at > 0 && ", "}<a href="${address(id)}">${placeIn(id)}</a>`)}
    </small>
  </li>`;
}

/** What follows the mutation in the id of a case: its operation or client. */
function placeIn(id: string): string {
  const name = idInRule(id);
  return name.slice(name.indexOf("@") + 1);
}

/** What the run shows by itself, the known faults that a rule's failures resemble, which proves no cause, and measurements. */
function diagnosis(report: Report, outcome: Outcome, rule: ReportRule): Content {
  const found = report.diagnoses.filter((one) => one.rule === rule.id);
  const measured = measurements(report, rule.id);
  const seen = factTexts(report, rule.id);
  const isUnexplained = found.length === 0 && outcome === "fail";
  if (found.length + measured.length + seen.length === 0 && !isUnexplained) return undefined;
  return html`<div class="diagnosis">
    ${seen.map((text) => html`<p>Seen: ${prose(text)}</p>`)}
    ${isUnexplained && html`<p>${unexplainedText(report, rule)}</p>`}
    ${found.map(
      (one, index) =>
        html`<p class="problem">${prose(behaviour(one, index > 0))}.</p>
          <p>
            Probable cause:
            ${prose(one.look)}${one.source !== undefined && html` ${source(one.source)}`}
          </p>`,
    )}
    ${measured.map(({ title, value }) => html`<p>Observed: ${prose(title)}: ${prose(value)}</p>`)}
  </div>`;
}
