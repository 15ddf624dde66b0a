import { RECEIVER_CHECKS } from "../../contract/checks.ts";
import { LEVELS } from "../../contract/levels.ts";
import { OUTCOMES, type Outcome, type Verdict } from "../../engine/events.ts";
import { UNJUDGED } from "../../engine/judge.ts";
import { capitalized, counted } from "../../lib/words.ts";
import { newFailures, sumOf, totals } from "../groups.ts";
import { deploymentText, took } from "../layout.ts";
import type { Report } from "../report.ts";
import { firstBlocker } from "../text/blockers.ts";
import { explorationText } from "../text/exploration.ts";
import { headline } from "../text/headline.ts";
import { causeOf } from "./failures.ts";
import { type Content, html, type Markup, prose } from "./markup.ts";
import { linkTo, sign, address, factList } from "./parts.ts";

/** Each verdict in words, and the outcome whose sign it shares. */
export const VERDICTS: Readonly<Record<Verdict, { words: string; like: Outcome }>> = {
  conformant: { words: "Conformant", like: "pass" },
  "non-conformant": { words: "Not conformant", like: "fail" },
  incomplete: { words: "Incomplete", like: "inconclusive" },
  partial: { words: "Partial", like: "not-provisioned" },
};

/** Number of failed rules whose cause is named beside the verdict. */
const CAUSES_SHOWN = 3;

/**
 * The verdict, its causes, and what it covers; the data of the run are folded. In print it is a page of its own.
 * @param fingerprint of the `report.json`
 */
export function verdict(report: Report, fingerprint: string): Markup {
  const { words, like } = VERDICTS[report.verdict];
  const cause = headline(report);
  const text = report.verdictText.replace(new RegExp(`^${words}[:.] ?`), "");
  return html`<section class="verdict ${like}" aria-labelledby="verdict">
    <h2 id="verdict">
      ${sign(like)}
      ${words}${cause !== undefined && html`<span>: ${prose(cause)}</span>`}${report.partial && report.verdict !== "partial" && html` <small>partial</small>`}
    </h2>
    <p class="lead">${capitalized(text)}</p>
    ${blocker(report)}${causes(report)}${checks(report)}${coverage(report)}
    <details class="run">
      <summary>About this run: when, what was tested, requests, writes, seed, digest</summary>
      ${facts(report, fingerprint)}
    </details>
  </section>`;
}

/** What blocks the verdict, in a line. */
function blocker(report: Report): Content {
  const first = firstBlocker(report);
  if (first === undefined) return undefined;
  return html`<p class="blocker">
    <b>What blocks the verdict:</b> ${prose(first)} <a href="#blocked">All that blocks</a>
  </p>`;
}

function causes(report: Report): Content {
  const failed = newFailures(report);
  if (failed.length === 0) return undefined;
  const more = failed.length - CAUSES_SHOWN;
  return html`<ul class="causes" aria-label="Causes">
    ${failed
      .slice(0, CAUSES_SHOWN)
      .map(({ rule }) => html`<li>${linkTo(rule.id)} ${causeOf(report, rule)}</li>`)}
    ${more > 0 && html`<li><a href="#failures">and ${counted(more, "more failed rule")}</a></li>`}
  </ul>`;
}

/** The MUST cases of the contract as a ring, and the number of all cases by level and outcome. */
function coverage(report: Report): Content {
  const all = totals(report);
  const shown = OUTCOMES.filter((outcome) => all[outcome] > 0);
  if (shown.length === 0) return undefined;
  const { judged, total } = report.coverage;
  const musts = report.counts.MUST;
  const left = Math.max(0, total - sumOf(musts));
  return html`<div class="coverage">
    <figure>
      ${ring([...shown.map((outcome) => [outcome, musts[outcome]] as const), ["left-out", left]])}
      <figcaption>
        <b>${judged}</b> of ${counted(total, "MUST case")}
        judged${left > 0 && html`; <b>${left}</b> were not in this run`}
      </figcaption>
    </figure>
    <table class="counts">
      <caption class="unseen">
        Cases by level and outcome
      </caption>
      <thead>
        <tr>
          <td></td>
          ${LEVELS.map((level) => html`<th scope="col">${level}</th>`)}
          <th scope="col">all</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((outcome) =>
          countRow(
            html`${sign(outcome)}
            ${UNJUDGED.has(outcome) ? html`<a href="${outcome === "not-applicable" ? "#inapplicable" : "#blocked"}">${outcome}</a>` : outcome}`,
            [...LEVELS.map((level) => report.counts[level][outcome]), all[outcome]],
          ),
        )}
      </tbody>
      <tfoot>
        ${countRow("all", [...LEVELS.map((level) => sumOf(report.counts[level])), sumOf(all)])}
      </tfoot>
    </table>
  </div>`;
}

function countRow(head: Content, counts: readonly number[]): Markup {
  return html`<tr>
    <th scope="row">${head}</th>
    ${counts.map((count) => html`<td class="${count === 0 && "none"}">${count}</td>`)}
  </tr>`;
}

function facts(report: Report, fingerprint: string): Markup {
  const { target, suite, seed, requests, startedAt, scope } = report;
  return factList([
    ["Target", html`<code>${target.baseUrl}</code>`],
    ["Deployment", target.deployment !== undefined && deploymentText(target.deployment)],
    ["Audience", target.audience !== target.baseUrl && html`<code>${target.audience}</code>`],
    ["Tokens", html`<code>${target.issuer}</code>, ${target.algorithm ?? "issued"}`],
    [
      "Left out",
      report.excluded.length > 0 &&
        report.excluded.map(
          ({ reason, cases }) => html`<p>${counted(cases, "case")}: ${reason}</p>`,
        ),
    ],
    ["Sides", scope.sides.join(", ") || "none"],
    ["Operations", scope.operations.join(", ") || "none"],
    ["When", when(startedAt)],
    ["Requests", `${requests} in ${took(report)}`],
    ["Exploration", explorationText(report)[0] ?? false],
    ["Accepted writes", writes(report)],
    ["Seed", html`<code>${seed}</code>`],
    ["Suite", `${suite.name} ${suite.version}, rule set ${suite.requirements}`],
    ["SHA-256", html`<code>${fingerprint}</code> of <code>report.json</code>`],
  ]);
}

function when(startedAt: string): Markup {
  const shown = startedAt.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");
  return html`<time datetime="${startedAt}">${shown}</time>`;
}

function writes({ writes: accepted, target }: Report): string {
  const each = Object.entries(accepted).map(([operation, count]) => `${operation} ${count}`);
  return each.length > 0 ? each.join(", ") : target.readOnly ? "none, read-only" : "none";
}

/** The receiver checks in the order of the contract, each with its worst outcome: a fault lets bad tokens through there. */
function checks({ rules }: Report): Content {
  const found = RECEIVER_CHECKS.map((check) =>
    rules.find(({ id }) => id === `receiver.${check === "policy" ? "local-policy" : check}`),
  );
  if (!found.some((rule) => rule)) return undefined;
  return html`<ol class="checks" aria-label="The seven receiver checks">
    ${RECEIVER_CHECKS.map((check, at) => {
      const rule = found[at];
      if (!rule) return html`<li class="left-out">${check} <small>not run</small></li>`;
      const { id, outcome, cases } = rule;
      const count = cases.filter((one) => one.outcome === outcome).length;
      return html`<li class="${outcome}">
        ${sign(outcome)} <a href="${address(id)}">${check}</a> <small>${count} ${outcome}</small>
      </li>`;
    })}
  </ol>`;
}

/** Thinner parts could not be seen, in percent. */
const THINNEST = 1.5;

/**
 * A ring of parts, for eyes alone: its figures have to stand beside it.
 * @param parts the class of each part, which gives its colour, and its size; at least one is not 0
 */
function ring(parts: readonly (readonly [kind: string, size: number])[]): Markup {
  const some = parts.filter(([, size]) => size > 0);
  const whole = some.reduce((sum, [, size]) => sum + size, 0);
  const widths = some.map(([, size]) => Math.max(THINNEST, (100 * size) / whole));
  const drawn = widths.reduce((sum, width) => sum + width, 0);
  let from = 0;
  return html`<svg class="ring" viewBox="0 0 42 42" aria-hidden="true">
    ${some.map(([kind], at) => {
      const width = (100 * (widths[at] ?? 0)) / drawn;
      from += width;
      return html`<circle
        class="${kind}"
        cx="21"
        cy="21"
        r="16"
        pathLength="100"
        stroke-dasharray="${width.toFixed(2)} 100"
        stroke-dashoffset="${(width - from).toFixed(2)}"
      />`;
    })}
  </svg>`;
}
