import { requirement } from "../../contract/requirements.ts";
import { OUTCOMES, type Outcome } from "../../engine/events.ts";
import { foldCommand } from "../curl.ts";
import { again, replay } from "../failures.ts";
import { knownFailures } from "../groups.ts";
import type { Report, ReportCase, ReportRule } from "../report.ts";
import { differenceTexts } from "../text/differences.ts";
import { evidence } from "./evidence.ts";
import { filters } from "./filters.ts";
import { address, linkTo } from "./links.ts";
import { type Content, html, type Markup, prose } from "./markup.ts";
import { NO_OPERATION, tally } from "./matrix.ts";
import { sign } from "./outcomes.ts";

/** Outcomes that want somebody to look: their rules stand first, and open. */
const WANTS_A_LOOK: ReadonlySet<Outcome> = new Set([
  "fail",
  "inconclusive",
  "not-provisioned",
  "warn",
]);

/** Every case under its rule, the worst rules first, with the filters before them. */
export function cases(report: Report): Markup {
  const known = knownFailures(report);
  const rules = report.rules.filter((rule) => rule.cases.length > 0);
  return html`<section aria-labelledby="cases">
    <h2 id="cases" tabindex="-1">Cases</h2>
    ${filters(report)}
    <div>${worstFirst(rules).map((rule) => ruleCases(report, rule, known))}</div>
  </section>`;
}

function worstFirst<T extends { readonly outcome: Outcome }>(things: readonly T[]): T[] {
  const place = ({ outcome }: T): number =>
    WANTS_A_LOOK.has(outcome) ? OUTCOMES.indexOf(outcome) : OUTCOMES.length;
  return things.toSorted((a, b) => place(a) - place(b));
}

function ruleCases(report: Report, rule: ReportRule, known: ReadonlyMap<string, string>): Markup {
  const open = rule.outcome === "fail" || rule.outcome === "warn";
  const [first, ...others] = worstFirst(rule.cases);
  return html`<details class="rule" data-rule="${rule.id}" ${open && html` open`}>
    <summary>
      <h3>${sign(rule.outcome)} <code>${rule.id}</code></h3>
      <span class="title">${prose(rule.title)}</span>
      <small>${rule.level} · ${tally(rule.cases)}</small>
    </summary>
    <div class="content" id="${rule.id}">
      ${requirements(rule)}${first && caseDetails(report, rule, first, known, open)}${others.map(
        (one) => caseDetails(report, rule, one, known, false),
      )}
    </div>
  </details>`;
}

/** The sentences that a rule judges, with the clause of each. */
function requirements({ requirements: ids }: ReportRule): Content {
  if (ids.length === 0) return undefined;
  const [main, ...others] = ids.map((id) => quotation(id));
  return [
    main,
    others.length > 0 &&
      html`<details class="others">
        <summary>${others.length} more requirements</summary>
        ${others}
      </details>`,
  ];
}

function quotation(id: string): Markup {
  const { text, clause } = requirement(id);
  return quoted(text, clause);
}

/** Of an RFC stands a paraphrase; the contract's words are quoted. */
function quoted(text: string, clause: string | undefined): Markup {
  return html`<blockquote>
    <p>${clause?.startsWith("RFC ") ? text : `“${text}”`}</p>
    <footer>${clause}</footer>
  </blockquote>`;
}

function caseDetails(
  report: Report,
  rule: ReportRule,
  one: ReportCase,
  known: ReadonlyMap<string, string>,
  open: boolean,
): Markup {
  const { id, title, operation, level, outcome } = one;
  return html`<details
    class="case ${outcome}"
    data-outcome="${outcome}"
    data-level="${level}"
    data-operation="${operation ?? NO_OPERATION}"
    ${open && html` open`}
  >
    <summary>
      ${sign(outcome)} <span class="outcome">${outcome}</span>
      <h4><code>${id.slice(rule.id.length + 1)}</code></h4>
      <span class="title">${prose(title ?? rule.title)}</span
      >${level !== rule.level && html` <small>${level}</small>`}${known.has(id) && html` <small>known</small>`}${one.flaky === true && html` <small>flaky</small>`}
    </summary>
    <div class="content" id="${id}">
      ${facts(rule, one, known.get(id))}${evidence(report, one)}${commands(report, one)}
    </div>
  </details>`;
}

function facts(rule: ReportRule, one: ReportCase, known: string | undefined): Content {
  const { outcome, reason, expected, actual, blamedOn, missing, flaky, title } = one;
  const differs = differenceTexts(one.evidence?.differences);
  const rows: [string, Content][] = [
    [
      "Requirement",
      WANTS_A_LOOK.has(outcome) &&
        one.requirement !== undefined &&
        quoted(one.requirement, one.clause),
    ],
    ["Tried", title !== undefined && title !== rule.title && prose(title)],
    ["Expected", expected !== undefined && prose(expected)],
    ["Actual", actual],
    ["Why", one.why !== undefined && prose(one.why)],
    ["Source", one.source],
    ["Reason", reason],
    ["Blamed on", blamedOn !== undefined && linkTo(blamedOn)],
    ["The profile lacks", missing && html`<code>${missing.join(", ")}</code>`],
    ["Flaky", flaky === true && "two tries of the same case disagreed"],
    ["Baseline", known],
    [
      "Differs",
      differs.length > 0 &&
        html`<ul>
          ${differs.map((line) => html`<li>${line}</li>`)}
        </ul>`,
    ],
  ];
  const given = rows.filter(([, value]) => value !== undefined && value !== false);
  if (given.length === 0) return undefined;
  return html`<dl>
    ${given.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

function commands(report: Report, one: ReportCase): Markup {
  return html`<p class="part">Again <a href="${address(one.id)}">Link to this case</a></p>
    ${WANTS_A_LOOK.has(one.outcome) && html`<pre data-copy="command">${foldCommand(replay(one), Infinity)}</pre>`}
    <pre data-copy="command">${foldCommand(again(report, one), Infinity)}</pre>`;
}
