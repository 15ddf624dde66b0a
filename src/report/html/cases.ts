import { idInRule } from "../../contract/ids.ts";
import { LEVELS } from "../../contract/levels.ts";
import { requirement } from "../../contract/requirements.ts";
import { OUTCOMES, type Outcome } from "../../engine/events.ts";
import { counted } from "../../lib/words.ts";
import { again, replayParts } from "../commands.ts";
import { foldCommand } from "../curl.ts";
import { byMutation, knownFailures, tally, totals } from "../groups.ts";
import type { Report, ReportCase, ReportRule } from "../report.ts";
import { aboutCase } from "../text/not-held.ts";
import { printable } from "../untrusted.ts";
import { curlOf, evidence } from "./evidence.ts";
import { type Content, html, type Markup, prose, scriptElement } from "./markup.ts";
import { columnsOf, hasServer, placeOf } from "./matrix.ts";
import { address, linkTo, source, NEEDS_ATTENTION, sign } from "./parts.ts";
import { createStore } from "./store.ts";

/** The list of rules, the worst first, with filters. The script adds cases on demand. */
export function cases(report: Report): Markup {
  const rules = report.rules.filter((rule) => rule.cases.length > 0);
  return html`<section class="all" aria-labelledby="cases">
    <h2 id="cases" tabindex="-1">Cases</h2>
    <noscript
      ><p class="quiet">
        Each case, and each further requirement of a rule, is drawn by the script of this page.
        Without it, <code>report.json</code> has them all.
      </p></noscript
    >
    ${filters(report)}
    <div>${worstFirst(rules).map(ruleHead)}</div>
  </section>`;
}

/** The data for the script as JSON: the cases of each rule, the worst first, with their content, and its further requirements. */
export function caseData(report: Report): Markup {
  const known = knownFailures(report);
  const store = createStore();
  const places = report.rules.map((rule) => ({
    id: printable(rule.id),
    cases: worstFirst(alikeTogether(rule.cases)).map((one) => [
      store.text(printable(idInRule(one.id))),
      store.text(`${one.outcome} ${one.level} ${placeOf(rule.id, one)}`),
      store.add(caseHead(rule, one, known)),
      store.add(
        html`${facts(rule, one, known.get(one.id))}${evidence(report, one)}${actions(curlOf(report, one))}`,
      ),
    ]),
  }));
  // Rules share most of their sentences.
  const further = report.rules.flatMap((rule) => {
    const markup = furtherRequirements(rule);
    return markup ? [[printable(rule.id), store.add(markup)] as const] : [];
  });
  const { nodes, at } = store.pack();
  const rules = Object.fromEntries(
    places.map(({ id, cases: some }) => [id, some.map((one) => one.map(at))]),
  );
  const more = Object.fromEntries(further.map(([id, place]) => [id, at(place)]));
  // Inside a script element, only `<` is special in HTML.
  const { head, tail } = replayParts(report);
  const replay = [head, tail].map((words) => foldCommand(words, Infinity).join(""));
  const json = JSON.stringify({ replay, rules, more, nodes }).replaceAll("<", "\\u003c");
  return scriptElement('type="application/json" id="data"', json);
}

/** The cases of a mutation together: what is seen on one operation is mostly seen on others. */
function alikeTogether(some: readonly ReportCase[]): ReportCase[] {
  return [...byMutation(some).values()].flat();
}

/** Rules and cases that need attention come first. */
function worstFirst<T extends { readonly outcome: Outcome }>(things: readonly T[]): T[] {
  const place = ({ outcome }: T): number =>
    NEEDS_ATTENTION.has(outcome) ? OUTCOMES.indexOf(outcome) : OUTCOMES.length;
  return things.toSorted((a, b) => place(a) - place(b));
}

function ruleHead(rule: ReportRule): Markup {
  return html`<details class="rule" data-rule="${rule.id}">
    <summary>
      <h3>${sign(rule.outcome)} <code>${rule.id}</code></h3>
      <span class="title">${prose(rule.title)}</span>
      <small>${rule.level} · ${tally(rule.cases)}</small>
    </summary>
    <div class="content" id="${rule.id}">${mainRequirement(rule)}</div>
  </details>`;
}

/** The sentence that a rule is about. */
function mainRequirement({ requirements: [main] }: ReportRule): Content {
  return main !== undefined && requirementOf(main);
}

/** The other sentences that a rule verifies, folded. */
function furtherRequirements({ requirements: [, ...others] }: ReportRule): Markup | undefined {
  if (others.length === 0) return undefined;
  return html`<details class="others">
    <summary>${counted(others.length, "more requirement")}</summary>
    ${others.map(requirementOf)}
  </details>`;
}

function requirementOf(id: string): Markup {
  const { text, clause } = requirement(id);
  return quoted(text, clause);
}

/** The words of the contract as a quotation; a sentence from an RFC is a paraphrase. */
export function quoted(text: string, clause: string | undefined): Markup {
  return html`<blockquote>
    <p>${clause?.startsWith("RFC ") ? text : `“${text}”`}</p>
    <footer>${clause !== undefined && source(clause)}</footer>
  </blockquote>`;
}

function caseHead(
  rule: ReportRule,
  { id, title, level, outcome, flaky }: ReportCase,
  known: ReadonlyMap<string, string>,
): Markup {
  return html`${sign(outcome)} <span class="outcome">${outcome}</span>
    <h4><code>${idInRule(id)}</code></h4>
    <span class="title">${prose(title ?? rule.title)}</span
    >${level !== rule.level && html` <small>${level}</small>`}${known.has(id) && html` <small>known</small>`}${flaky === true && html` <small>flaky</small>`}`;
}

export function wholeCase(
  report: Report,
  rule: ReportRule,
  one: ReportCase,
  known: ReadonlyMap<string, string>,
): Markup {
  const command = foldCommand(again(report, one), Infinity);
  return html`${facts(rule, one, known.get(one.id))}${evidence(report, one)}
  ${actions([curlOf(report, one), html`<pre data-copy="replay">${command}</pre>`], one.id)}`;
}

/**
 * The commands to repeat a case.
 * @param id only where the script does not add the link to the case
 */
function actions(commands: Content, id?: string): Markup {
  return html`<div class="actions">
    <details>
      <summary>Commands</summary>
      ${commands}
    </details>
    ${id !== undefined && html`<a href="${address(id)}">Link to this case</a>`}
  </div>`;
}

function facts(rule: ReportRule, one: ReportCase, known: string | undefined): Content {
  const { reason, expected, actual, blamedOn, missing, flaky } = one;
  const { tried, notHeld } = aboutCase(rule, one);
  const [main] = rule.requirements;
  const own = main === undefined || requirement(main).text !== one.requirement;
  const rows: [string, Content][] = [
    ["Requirement", own && one.requirement !== undefined && quoted(one.requirement, one.clause)],
    ["Tried", tried !== undefined && prose(tried)],
    ["Should hold", notHeld !== undefined && prose(notHeld)],
    ["Expected", expected !== undefined && prose(expected)],
    ["Actual", actual],
    ["Why", one.why !== undefined && prose(one.why)],
    ["Source", one.source !== undefined && source(one.source)],
    ["Reason", reason],
    ["Blamed on", blamedOn !== undefined && linkTo(blamedOn)],
    ["The profile lacks", missing && html`<code>${missing.join(", ")}</code>`],
    ["Flaky", flaky === true && "two tries of the same case disagreed"],
    ["Baseline", known],
  ];
  const given = rows.filter(([, value]) => value !== undefined && value !== false);
  if (given.length === 0) return undefined;
  return html`<dl class="glance">
    ${given.map(
      ([name, value]) =>
        html`<div class="${name.toLowerCase()}">
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The filters of the list of cases, hidden until the script, which they need, shows them. */
function filters(report: Report): Markup {
  const { rules } = report;
  const all = totals(report);
  const places = columnsOf(report).map(({ place, spoken }) => [place, spoken] as const);
  return html`<div class="filters">
    <form id="filters" role="search" aria-label="Cases" hidden>
      <fieldset>
        <legend>Outcome</legend>
        ${OUTCOMES.filter((outcome) => all[outcome] > 0).map((outcome) =>
          choice(
            "outcome",
            outcome,
            html`${sign(outcome)} ${outcome} <small>${all[outcome]}</small>`,
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
        ${select("operation", "any", places)}</label
      >
      <label class="text"
        >Text <input type="search" name="q" autocomplete="off" spellcheck="false"
      /></label>
      <button type="reset">Show all</button>
    </form>
    <p id="found" hidden>
      <span id="shown" role="status"></span> <a href="#matrix">Back to the matrix</a>
      <small class="keys"
        ><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>Enter</kbd> open</small
      >
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
  options: readonly (readonly [value: string, text: string])[],
): Markup {
  return html`<select name="${name}">
    <option value="">${any}</option>
    ${options.map(([value, text]) => (value === text ? html`<option>${text}</option>` : html`<option value="${value}">${text}</option>`))}
  </select>`;
}
